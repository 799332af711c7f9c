"""femnets compare: what moved between two runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from bench.comparison import Comparison, Ratios


def command(
    a: Annotated[str, typer.Argument(help="The run before: a name under runs/, or a path.")],
    b: Annotated[str, typer.Argument(help="The run after.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What moved between two runs: errors, rates, times, verdicts, as B over A."""
    from bench.comparison import compare
    from bench.store.files import finite
    from bench.store.folder import Store, run_path

    first, second = Store(run_path(a)), Store(run_path(b))
    found = compare(first.records(), second.records())
    if json_output:
        typer.echo(json.dumps(finite(found.document()), indent=1))
    else:
        show(found, a, b)


def show(found: Comparison, a: str, b: str) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(
        f"{found.common} cells in both, {found.only_a} only in {a}, {found.only_b} only in {b}"
    )
    for label, before, after in found.states:
        console.print(f"{label}: {before} -> {after}", markup=False)
    tables = [ratio_table("errors", found.errors), ratio_table("times", found.times)]
    rates = Table("series", "error", a, b, title="rates over the two finest meshes")
    for rate in found.rates:
        rates.add_row(rate.series, rate.value, f"{rate.a:.3f}", f"{rate.b:.3f}")
    verdicts = Table("claim", a, b, "together", title="verdicts that differ")
    for row in found.verdicts:
        verdicts.add_row(*row)
    for table in (*tables, rates, verdicts):
        if table.row_count:
            console.print(table)
    if not any(ratio.moved for ratio in found.errors) and found.common:
        console.print("no error moved")


def ratio_table(title: str, found: list[Ratios]) -> Table:
    from rich.table import Table

    columns = ("kind", "value", "cells", "moved", "median", "quartiles", "farthest", "in")
    table = Table(*columns, title=f"{title}, B / A")
    for ratio in found:
        table.add_row(
            ratio.kind,
            ratio.value,
            str(ratio.cells),
            str(ratio.moved),
            f"{ratio.median:.4g}",
            f"{ratio.low:.4g} to {ratio.high:.4g}",
            f"{ratio.worst:.4g}",
            ratio.worst_cell,
        )
    return table
