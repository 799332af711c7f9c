"""Runs on disk, from Python: one tidy table, and the report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError

if TYPE_CHECKING:
    from bench.store.files import StoredResult


@dataclass(frozen=True)
class LoadedRun:
    """The results of a run: iterate over the records, or take them as one table."""

    path: Path

    def __iter__(self) -> Iterator[StoredResult]:
        from bench.store.folder import Store

        return Store(self.path).records()

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per cell: key, kind, state, every setting, every number it found.

        A number whose name a setting has too is called `found_NAME`; what does not exist is None.
        """
        return [_row(record) for record in self]

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame (extra `export`)."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise UserError("to_pandas needs pandas: pip install 'femnets[export]'") from None
        return pandas.DataFrame(self.rows())


def _row(record: StoredResult) -> dict[str, Any]:
    from bench.store.tables import cell_row

    row = cell_row(record)
    for name, value in record.values.items():
        if value is None or isinstance(value, bool | int | float | str):
            same = name in row and row[name] == value
            row[name if name not in row or same else f"found_{name}"] = value
    return row


def load(run: str | Path) -> LoadedRun:
    """A run by its name under runs/, or by its path."""
    from bench.store.folder import Store, run_path

    path = run if isinstance(run, Path) else run_path(run)
    Store(path)  # says in one line what is not there
    return LoadedRun(path)


def report(run: str | Path, *, html: bool = True, pdf: bool = True) -> list[Path]:
    """Compiles the report of a run and gives the paths of its page and its PDF."""
    from reports import compile_report

    return compile_report(load(run).path, html, pdf)
