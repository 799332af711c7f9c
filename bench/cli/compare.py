"""femnets compare: what moved between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench.cli._json import show_json
from bench.errors import UserError
from bench.guards.reading import Unfit, json_object, plain_bytes
from bench.guards.text import one_line

VERDICT_PARTS = ("name", "status", "verdict", "standing")
MOST_VERDICTS_BYTES = 2**24

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

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
    from bench.cli._damaged import sound_records
    from bench.comparison import compare
    from bench.store.folder import Store, run_path

    if a.endswith(KEPT) or b.endswith(KEPT):
        compare_verdicts(a, b, json_output)
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

    from bench.comparison import kept_verdicts

    rows = kept_verdicts(*(ledger_of(name) for name in (a, b)))
    if json_output:
        show_json({"verdicts": rows})
        return
    Console().print(verdict_table(rows, a, b) if rows else "no verdict differs")


def ledger_of(name: str) -> list[dict[str, Any]]:
    """Of a kept file, or of a run."""
    from bench.cli._damaged import sound_records
    from bench.comparison import verdicts_of
    from bench.store.folder import Store, run_path

    if not name.endswith(KEPT):
        return verdicts_of(sound_records(Store(run_path(name))))
    try:
        document = json_object(plain_bytes(name, MOST_VERDICTS_BYTES, follow=True))
        entries: list[dict[str, Any]] = document["verdicts"]
        for entry in entries:
            if not all(isinstance(entry[part], str) for part in VERDICT_PARTS):
                raise Unfit("holds something else than verdicts")
    except OSError as error:
        raise UserError(f"cannot read {name}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{name} is no file of verdicts; `femnets export RUN --to verdicts` writes one"
        ) from None
    return entries


def verdict_table(rows: list[tuple[str, str, str, str]], a: str, b: str) -> Table:
    from bench.cli._tables import plain_table

    table = plain_table("claim", a, b, "together", title="verdicts that differ")
    for row in rows:
        table.add_row(*map(plain, row))
    return table


def show(found: Comparison, a: str, b: str) -> None:
    from rich.console import Console

    from bench.cli._tables import plain_table

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


def plain(text: str) -> Text:
    """Text from outside: no markup, nothing that a terminal acts on."""
    from rich.text import Text

    return Text(one_line(text))


def ratio_table(title: str, found: list[Ratios]) -> Table:
    from bench.cli._tables import plain_table

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
