"""Rows of a user's file: CSV with a header, or an .npz with arrays x and y."""

from __future__ import annotations

import csv
import io

import numpy as np

from base.errors import UserError
from base.registry import FILES
from bench.core.plugin_files import PluginFile
from bench.problems import Array

FORM = "a header with inputs x1, x2, … and targets y1, y2, …, then one row of numbers per line"


def rows_of(name: str) -> tuple[Array, Array]:
    """Return the inputs (N, inputs) and targets (N, targets) of a file that the user has named."""
    file = FILES[name]() if name in FILES else None
    if not isinstance(file, PluginFile):
        raise UserError(
            f"{name!r} is not a data file; give a path such as ./mine.csv or ./mine.npz"
        )
    x, y = (_from_npz if file.place.endswith(".npz") else _from_csv)(file)
    if len(x) < 5 or len(x) != len(y):
        raise UserError(f"{file.place} has {len(x)} and {len(y)} rows in x and y; 5 or more needed")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise UserError(f"{file.place} has entries that are not finite; remove their rows")
    return x, y


def _from_npz(file: PluginFile) -> tuple[Array, Array]:
    try:
        with np.load(io.BytesIO(file.source), allow_pickle=False) as arrays:
            x, y = (np.asarray(arrays[name], dtype=float) for name in ("x", "y"))
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{file.place}: {error}; it needs arrays x and y of numbers") from None
    if x.ndim != 2 or y.ndim != 2:
        raise UserError(f"{file.place}: x and y have shapes {x.shape}, {y.shape}; rows are points")
    return x, y


def _from_csv(file: PluginFile) -> tuple[Array, Array]:
    lines = csv.reader(io.StringIO(file.source.decode("utf-8-sig", errors="replace")))
    header = [name.strip() for name in next(lines, [])]
    columns = {kind: [k for k, n in enumerate(header) if n[:1] == kind] for kind in "xy"}
    if not all(columns.values()) or sum(map(len, columns.values())) < len(header):
        raise UserError(f"{file.place}: columns {', '.join(header)[:80]}; it needs {FORM}")
    try:
        table = [[float(entry) for entry in line] for line in lines if line]
        rows = np.array(table, dtype=float).reshape(len(table), len(header))
    except ValueError as error:
        raise UserError(f"{file.place}, line {lines.line_num}: {error}; it needs {FORM}") from None
    return rows[:, columns["x"]], rows[:, columns["y"]]
