"""femnets compare: what moved between two runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from bench.guards.text import one_line

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from bench.comparison import Comparison, Ratios


def command(
    a: Annotated[str, typer.Argument(help="The run before: a name under runs/, or a path.")],
    b: Annotated[str, typer.Argument(help="The run after.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What moved between two runs: errors, rates, times, verdicts, as B over A."""
    from bench.cli._damaged import sound_records
    from bench.comparison import compare
    from bench.store.files import finite
    from bench.store.folder import Store, run_path

    first, second = Store(run_path(a)), Store(run_path(b))
    found = compare(sound_records(first), sound_records(second))
    if json_output:
        typer.echo(json.dumps(finite(found.document()), indent=1, allow_nan=False))
    else:
        show(found, a, b)


def show(found: Comparison, a: str, b: str) -> None:
    from rich.console import Console

    console = Console()
    first, second = plain(a), plain(b)
    both = f"{found.common} cells in both, {found.only_a} only in {first}, "
    console.print(plain(f"{both}{found.only_b} only in {second}"))
    for label, before, after in found.states:
        console.print(plain(f"{label}: {before} -> {after}"))
    tables = [ratio_table("errors", found.errors), ratio_table("times", found.times)]
    rates = table_of("rates over the two finest meshes", "series", "error", first, second)
    for rate in found.rates:
        rates.add_row(plain(rate.series), plain(rate.value), f"{rate.a:.3f}", f"{rate.b:.3f}")
    verdicts = table_of("verdicts that differ", "claim", first, second, "together")
    for row in found.verdicts:
        verdicts.add_row(*map(plain, row))
    for table in (*tables, rates, verdicts):
        if table.row_count:
            console.print(table)
    if not any(ratio.moved for ratio in found.errors) and found.common:
        console.print("no error moved")


def table_of(title: str, *columns: str | Text) -> Table:
    from rich.table import Table

    table = Table(title=title)
    for column in columns:
        table.add_column(column)
    return table


def plain(text: str) -> Text:
    """Text from outside: no markup, nothing that a terminal acts on."""
    from rich.text import Text

    return Text(one_line(text))


def ratio_table(title: str, found: list[Ratios]) -> Table:
    columns = ("kind", "value", "cells", "moved", "median", "quartiles", "farthest", "in")
    table = table_of(f"{title}, B / A", *columns)
    for ratio in found:
        table.add_row(
            plain(ratio.kind),
            plain(ratio.value),
            str(ratio.cells),
            str(ratio.moved),
            f"{ratio.median:.4g}",
            f"{ratio.low:.4g} to {ratio.high:.4g}",
            f"{ratio.worst:.4g}",
            plain(ratio.worst_cell),
        )
    return table
