"""femnets compare: what moved between two runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench.errors import UserError

if TYPE_CHECKING:
    from rich.table import Table

    from bench.comparison import Comparison, Ratios

KEPT = ".json"  # a ledger that was kept without its run


def command(
    a: Annotated[
        str, typer.Argument(help="The run before: a name under runs/, a path, or a verdicts.json.")
    ],
    b: Annotated[str, typer.Argument(help="The run after.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What moved between two runs: errors, rates, times, verdicts, as B over A.

    Where one of them is a file `verdicts.json` (`femnets export RUN --to verdicts` writes it) only
    verdicts are compared.
    """
    from bench.comparison import compare
    from bench.store.files import finite
    from bench.store.folder import Store, run_path

    if a.endswith(KEPT) or b.endswith(KEPT):
        compare_verdicts(a, b, json_output)
        return
    first, second = Store(run_path(a)), Store(run_path(b))
    found = compare(first.records(), second.records())
    if json_output:
        typer.echo(json.dumps(finite(found.document()), indent=1))
    else:
        show(found, a, b)


def compare_verdicts(a: str, b: str, json_output: bool) -> None:
    """Two ledgers, at least one of which was kept without its cells."""
    from rich.console import Console

    from bench.comparison import kept_verdicts

    rows = kept_verdicts(*(ledger_of(name) for name in (a, b)))
    if json_output:
        typer.echo(json.dumps({"verdicts": rows}, indent=1))
        return
    Console().print(verdict_table(rows, a, b) if rows else "no verdict differs")


def ledger_of(name: str) -> list[dict[str, Any]]:
    """Of a kept file, or of a run."""
    from bench.comparison import verdicts_of
    from bench.store.folder import Store, run_path

    if not name.endswith(KEPT):
        return verdicts_of(Store(run_path(name)).records())
    try:
        document = json.loads(Path(name).read_text(encoding="utf-8"))
        entries: list[dict[str, Any]] = document["verdicts"]
        if not all({"name", "status", "verdict", "standing"} <= set(entry) for entry in entries):
            raise KeyError("verdicts")
    except OSError as error:
        raise UserError(f"cannot read {name}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{name} is no file of verdicts; `femnets export RUN --to verdicts` writes one"
        ) from None
    return entries


def verdict_table(rows: list[tuple[str, str, str, str]], a: str, b: str) -> Table:
    from rich.table import Table

    table = Table("claim", a, b, "together", title="verdicts that differ")
    for row in rows:
        table.add_row(*row)
    return table


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
    for table in (*tables, rates, verdict_table(found.verdicts, a, b)):
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
