"""What the tables take from a benchmark's `extra_info`, which anybody may have written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from reports.benchmarks.saved import Timed
from reports.document import Source, Value
from reports.formatting import show

COMMAND = "pytest --benchmark"


def source() -> Source:
    return Source(COMMAND)


def mapping(entry: Timed, name: str) -> Mapping[str, Any]:
    found = entry.info.get(name)
    return found if isinstance(found, Mapping) else {}


def real(value: Any) -> float | None:
    """A finite number, or nothing."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known else None


def plain(value: Any) -> Value:
    """A figure as a table cell: numbers stay numbers, lists become text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value)


def interval(low: Any, high: Any) -> str:
    return f"{show(real(low), 'number')} – {show(real(high), 'number')}"


def times(ratio: float) -> str:
    """How many times, either way round: 2.5×."""
    return show(max(ratio, 1 / ratio), "ratio")
