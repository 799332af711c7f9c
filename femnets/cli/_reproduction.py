"""A stranger's check: whether a run has the errors of `results.parquet`, and the same verdicts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError
from femnets.cli._json import show_json

if TYPE_CHECKING:
    from bench.claims.comparison import Agreement
    from bench.store.files import StoredResult
    from bench.store.reproduced import Reproduction

SHOWN = 20  # cells that are not reproduced, of which a terminal names so many


def check_kept(a: str, b: str, json_output: bool) -> None:
    """Compares cells, at least one side of which was kept without its run."""
    from bench.claims.comparison import agreement_of
    from bench.store.reproduced import reproduction

    ours, theirs = records_of(a), records_of(b)
    if not {record.key for record in ours} & {record.key for record in theirs}:
        raise UserError(f"{a} and {b} have no cell in common; run a study with the same settings")
    found = reproduction(ours, theirs)
    verdicts = agreement_of(ledger_beside(a, ours), ledger_beside(b, theirs))
    if json_output:
        show_json({**found.document(), "verdicts": asdict(verdicts)})
    else:
        show_reproduction(found, a, b)
        show_agreement(verdicts, a, b)


def records_of(name: str) -> list[StoredResult]:
    """The cells of a kept file, the first of each key, or of a run."""
    from bench.store.folder import Store, run_path
    from bench.store.kept import SUFFIX, read_kept
    from femnets.cli._damaged import sound_records

    if not name.endswith(SUFFIX):
        return sound_records(Store(run_path(name)))
    found: dict[str, StoredResult] = {}
    for kept in read_kept(name):
        found.setdefault(kept.record.key, kept.record)
    return list(found.values())


def ledger_beside(name: str, records: list[StoredResult]) -> list[dict[str, Any]]:
    """The ledger that was kept beside the cells, which has seen their curves; else from the cells
    alone."""
    from bench.claims.comparison import verdicts_of
    from bench.store.kept import SUFFIX
    from femnets.cli._ledgers import ledger_of

    beside = Path(name).with_name("verdicts.json")
    if name.endswith(SUFFIX) and beside.exists():
        return ledger_of(str(beside))
    return verdicts_of(records)


def show_reproduction(found: Reproduction, a: str, b: str) -> None:
    from rich.console import Console

    from femnets.cli._tables import plain, plain_table

    console = Console()
    told = (
        f"{found.reproduced} of {found.cells} cells that both have agree in all their errors to "
        f"{found.digits} digits ({found.values_reproduced} of {found.values} numbers)"
    )
    console.print(plain(told))
    if found.other_code:
        console.print(f"the code of {found.other_code} of them has changed in between")
    kinds = plain_table("kind", "cells", "reproduced", "fewest digits")
    for tally in found.kinds:
        counts = (str(tally.cells), str(tally.reproduced), f"{tally.fewest_digits:.1f}")
        kinds.add_row(plain(tally.kind), *counts)
    console.print(kinds)
    if not found.deviations:
        return
    rest = len(found.deviations) - SHOWN
    title = "not reproduced" + (f", the worst {SHOWN}; {rest} more: --json" if rest > 0 else "")
    table = plain_table("cell", "value", a, b, "digits", title=title)
    for deviation in found.deviations[:SHOWN]:
        numbers = ("-" if n is None else f"{n:.4e}" for n in (deviation.a, deviation.b))
        named = (plain(deviation.cell), plain(deviation.value))
        table.add_row(*named, *numbers, f"{deviation.digits:.1f}")
    console.print(table)


def show_agreement(found: Agreement, a: str, b: str) -> None:
    from rich.console import Console

    from femnets.cli._tables import plain, plain_table

    console = Console()
    console.print(
        f"of {found.tested} claims that both have tested {found.same} have the same verdict, "
        f"{len(found.contradictions)} are contradicted"
    )
    named = (
        ("contradict each other", found.contradictions),
        ("other verdicts, no contradiction", found.differing),
    )
    for title, rows in named:
        table = plain_table("claim", a, b, title=title)
        for row in rows:
            table.add_row(*map(plain, row))
        if rows:
            console.print(table)
