"""femnets compare: what moved between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from femnets.cli._json import show_json
from femnets.cli._ledgers import KEPT
from femnets.cli._reproduction import check_kept
from femnets.cli._tables import plain

if TYPE_CHECKING:
    from rich.table import Table

    from bench.claims.comparison import Comparison, Ratios


def command(
    a: Annotated[
        str,
        typer.Argument(
            help="The run before: a name under runs/, a path, a results.parquet or a verdicts.json."
        ),
    ],
    b: Annotated[str, typer.Argument(help="The run after.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """What moved between two runs: errors, rates, times, verdicts, as B over A.

    Where one is a `results.parquet` (`femnets export RUN --to kept` writes it), cell by cell:
    whether B has A's errors to the digits that the report claims, and how verdicts differ.
    Where one is a `verdicts.json` (`--to verdicts` writes it) only verdicts are compared.
    """
    from bench.claims.comparison import compare
    from bench.store.folder import Store, run_path
    from bench.store.kept import SUFFIX
    from femnets.cli._damaged import sound_records

    if a.endswith(KEPT) or b.endswith(KEPT):
        compare_verdicts(a, b, json_output)
        return
    if a.endswith(SUFFIX) or b.endswith(SUFFIX):
        check_kept(a, b, json_output)
        return
    first, second = Store(run_path(a)), Store(run_path(b))
    found = compare(sound_records(first), sound_records(second))
    if json_output:
        show_json(found.document())
    else:
        show(found, a, b)


def compare_verdicts(a: str, b: str, json_output: bool) -> None:
    """Two ledgers, at least one of which was kept without its cells."""
    from rich.console import Console

    from bench.claims.comparison import kept_verdicts
    from femnets.cli._ledgers import ledger_of

    rows = kept_verdicts(*(ledger_of(name) for name in (a, b)))
    if json_output:
        show_json({"verdicts": rows})
        return
    Console().print(verdict_table(rows, a, b) if rows else "no verdict differs")


def verdict_table(rows: list[tuple[str, str, str, str]], a: str, b: str) -> Table:
    from femnets.cli._tables import plain_table

    table = plain_table("claim", a, b, "together", title="verdicts that differ")
    for row in rows:
        table.add_row(*map(plain, row))
    return table


def show(found: Comparison, a: str, b: str) -> None:
    from rich.console import Console

    from femnets.cli._tables import plain_table

    console = Console()
    both = f"{found.common} cells in both, {found.only_a} only in {a}, "
    console.print(plain(f"{both}{found.only_b} only in {b}"))
    for label, before, after in found.states:
        console.print(plain(f"{label}: {before} -> {after}"))
    tables = [ratio_table("errors", found.errors), ratio_table("times", found.times)]
    rates = plain_table("series", "error", a, b, title="rates over the two finest meshes")
    for rate in found.rates:
        rates.add_row(plain(rate.series), plain(rate.value), f"{rate.a:.3f}", f"{rate.b:.3f}")
    for table in (*tables, rates, verdict_table(found.verdicts, a, b)):
        if table.row_count:
            console.print(table)
    if not any(ratio.moved for ratio in found.errors) and found.common:
        console.print("no error moved")


def ratio_table(title: str, found: list[Ratios]) -> Table:
    from femnets.cli._tables import plain_table

    columns = ("kind", "value", "cells", "moved", "median", "quartiles", "farthest", "in")
    table = plain_table(*columns, title=f"{title}, B / A")
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
