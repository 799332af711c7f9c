"""Runs on disk, from Python: one tidy table, and the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.store.run import Run


def load(run: str | Path) -> Run:
    """Return a run with its results, by its name under runs/ or its path."""
    from bench.store.run import Run

    return Run.stored(_path(run))


def report(run: str | Path, *, html: bool = True, pdf: bool = True) -> list[Path]:
    """Compile the report of a run and return the paths of its page and its PDF."""
    from reports import compile_report

    return compile_report(_path(run), html, pdf)


def _path(run: str | Path) -> Path:
    from bench.store.run import run_or_file

    return run if isinstance(run, Path) else run_or_file(run)
