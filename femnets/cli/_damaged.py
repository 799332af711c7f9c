"""Results that cannot be trusted: left out, named, with the command that computes them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bench.core.guards.text import one_line
from femnets.cli import EXIT_FAILED_CELLS

if TYPE_CHECKING:
    from bench.store.files import StoredResult
    from bench.store.folder import Store


def sound_records(store: Store) -> list[StoredResult]:
    """The results of a run that are as they were written; the others are named on stderr."""
    left_out = 0

    def name(directory: Path, fault: str) -> None:
        nonlocal left_out
        left_out += 1
        where = f"{directory.parent.name}/{directory.name}"
        typer.echo(one_line(f"left out: damaged cell {where}: {fault}"), err=True)

    records = list(store.records(name))
    if left_out:
        typer.echo(f"damaged cells are computed again by {store.mends()}", err=True)
    return records


def tell_faults() -> int:
    """Names the sections and figures that could not be compiled; the exit code that says so."""
    from reports import faults as faults

    for said in faults.all_noted():
        typer.echo(said, err=True)
    return EXIT_FAILED_CELLS if faults.all_noted() else 0
