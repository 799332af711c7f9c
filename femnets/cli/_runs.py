"""Runs and reports for commands: damaged results and failed sections are named on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bench.core.guards.text import one_line
from femnets.cli import EXIT_FAILED_CELLS

if TYPE_CHECKING:
    from bench.store.files import StoredResult


def results_of(name: str) -> list[StoredResult]:
    """Return the results of a run or a `results.parquet`; damaged ones are named on stderr."""
    from bench.store.folder import Store
    from bench.store.run import Run, run_or_file

    path = run_or_file(name)
    run = Run.stored(path)
    for cell, fault in run.damaged.items():
        typer.echo(one_line(f"left out: damaged cell {cell}: {fault}"), err=True)
    if run.damaged:
        typer.echo(f"damaged cells are computed again by {Store(path).mends()}", err=True)
    return run.records


def show_faults() -> int:
    """Name the sections and figures that could not be compiled, and return the exit code."""
    from reports import faults

    for line in faults.all_noted():
        typer.echo(line, err=True)
    return EXIT_FAILED_CELLS if faults.all_noted() else 0
