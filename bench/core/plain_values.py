"""Conversion of values to the types of JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """Return the value with None in place of every NaN and infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return finite(jsonable(value))


def jsonable(value: Any) -> Any:
    """Return the value in JSON's types: NumPy scalars as numbers, tuples and arrays as lists."""
    if hasattr(value, "tolist"):  # NumPy is not imported, to keep `femnets --help` fast
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): jsonable(item) for name, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a cell cannot hold {type(value).__name__}: use numbers, strings, lists")
