"""Results as three tidy tables, joined by `key`: cells, values, arrays.

cells     one row per cell: key, kind, state, its config, its provenance in short
values    one row per number: key, quantity, value (text if it is not a number)
arrays    one row per entry: key, quantity, i, j, value
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bench.store.files import StoredResult

Row = dict[str, Any]


def tables(records: Sequence[StoredResult]) -> dict[str, list[Row]]:
    return {
        "cells": [cell_row(record) for record in records],
        "values": [row for record in records for row in value_rows(record)],
        "arrays": [row for record in records for row in array_rows(record)],
    }


def cell_row(record: StoredResult) -> Row:
    """The row of a cell: settings under their own names, provenance prefixed with `ran_`."""
    names = ("start", "seconds", "peak_bytes", "commit")
    ran = {f"ran_{name}": record.provenance.get(name) for name in names}
    fixed = {"key": record.key, "kind": record.kind, "state": record.state}
    return {**fixed, **{name: _flat(value) for name, value in record.config.items()}, **ran}


def wide_row(record: StoredResult) -> Row:
    """The row of a cell with its values; `found_NAME` if a setting has the same name."""
    row = cell_row(record)
    for name, value in record.values.items():
        if value is None or isinstance(value, bool | int | float | str):
            same = name in row and row[name] == value
            row[name if name not in row or same else f"found_{name}"] = value
    return row


def value_rows(record: StoredResult) -> Iterator[Row]:
    for name, value in leaves(record.values):
        number = isinstance(value, int | float)
        yield {
            "key": record.key,
            "quantity": name,
            "value": float(value) if number else None,
            "text": None if number or value is None else str(value),
        }


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Flatten nested values: dicts as `a.b`, lists as `a[0]`."""
    if isinstance(value, Mapping):
        for part, item in value.items():
            yield from leaves(item, f"{name}.{part}" if name else part)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, f"{name}[{i}]")
    else:
        yield name, value


def array_rows(record: StoredResult) -> Iterator[Row]:
    """One row per array entry; i and j count from 0, later axes are flattened into j."""
    for name, array in record.arrays.items():
        if array.dtype.kind not in "biuf":
            continue
        folded = array.reshape(array.shape[0], -1) if array.ndim else array.reshape(1, 1)
        for (i, j), value in np.ndenumerate(folded):
            yield {"key": record.key, "quantity": name, "i": i, "j": j, "value": float(value)}


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def columns(rows: Sequence[Row]) -> list[str]:
    """Return every column that some row has, in the order of first occurrence."""
    return list(dict.fromkeys(name for row in rows for name in row))


def uniform(rows: Sequence[Row], name: str) -> list[Any]:
    """One column with one type: integers, numbers or booleans if all are, else text."""
    values = [row.get(name) for row in rows]
    present = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in present):
        return values
    if any(isinstance(value, bool | str) for value in present):
        return [None if value is None else str(value) for value in values]
    if all(isinstance(value, int) for value in present):
        return values
    return [None if value is None else float(value) for value in values]
