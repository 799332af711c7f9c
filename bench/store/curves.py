"""The arrays that figures draw, in one file next to kept results: `figures.parquet`.

One row per array: the key of its cell, its name, its shape and its numbers, in single precision.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from base.errors import UserError
from bench.core.guards.output import written_whole
from bench.core.guards.reading import Unfit, plain_bytes
from bench.store.files import StoredResult
from bench.store.parquet import import_pyarrow
from bench.store.results import Results

CURVES = "figures.parquet"
MOST_BYTES = 15 * 10**6
MOST_NUMBERS = 10**8
# Kinds of cells whose arrays a figure draws, and which of them.
DRAWN = {
    "solved_net": ("curve_seconds", "curve_l2_error"),
    "reentrant_net": ("curve_evaluations", "curve_J", "curve_fine_loss", "curve_l2_error",
                      "slice", "slice_exact", "slice_line", "frames"),
    "ode_task": ("scores", "trajectories"),
    "edge_solve": ("slice", "slice_exact", "slice_line"),
}  # fmt: skip


def write_curves(path: Path, records: Iterable[StoredResult]) -> None:
    """Write the arrays that figures draw; more than fits is an error."""
    arrow = import_pyarrow()
    rows = [_row(r.key, name, r.arrays[name]) for r in records for name in DRAWN.get(r.kind, ())
            if name in r.arrays]  # fmt: skip
    types = [("key", arrow.string()), ("name", arrow.string()), ("shape", arrow.string()),
             ("values", arrow.list_(arrow.float32()))]  # fmt: skip
    with written_whole(path) as part:
        table = arrow.Table.from_pylist(rows, arrow.schema(types))
        arrow.parquet.write_table(table, part, compression="zstd", compression_level=19)
    if path.stat().st_size > MOST_BYTES:
        raise UserError(f"{path} has more than {MOST_BYTES} bytes; keep a run with fewer seeds")


def _row(key: str, name: str, array: Any) -> dict[str, Any]:
    values = np.asarray(array, dtype=np.float32)
    return {"key": key, "name": name, "shape": json.dumps(values.shape), "values": values.ravel()}


def attach_curves(path: Path, results: Results) -> None:
    """Give results the arrays of the file; those that it does not have keep none."""
    arrow = import_pyarrow()
    try:
        table = arrow.parquet.read_table(arrow.BufferReader(plain_bytes(path, MOST_BYTES)))
        columns = {name: table[name].to_pylist() for name in ("key", "name", "shape")}
        chunks = table["values"].combine_chunks()
        found = _arrays(columns, [np.asarray(row.values) for row in chunks])
    except (arrow.ArrowException, OSError, KeyError, ValueError, Unfit) as error:
        raise UserError(f"{path} is not a file of curves: {type(error).__name__}") from None
    for record in results:
        vars(record)["arrays"] = found.get(record.key, {})


def _arrays(columns: dict[str, list[str]], values: list[Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    if sum(len(row) for row in values) > MOST_NUMBERS:
        raise Unfit("it has too many numbers")
    for key, name, shape, row in zip(*columns.values(), values, strict=True):
        size = tuple(int(n) for n in json.loads(shape))
        if math.prod(size) != len(row):
            raise Unfit("an array has not as many numbers as its shape says")
        found.setdefault(key, {})[name] = row.astype(float).reshape(size)
    return found
