"""Observed rates of convergence between two meshes of a family."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def observed_rate(coarse: Mapping[str, Any], fine: Mapping[str, Any], error: str) -> float | None:
    """log(e/e′) / log(h/h′) between two meshes of a family, by what their cells measured."""
    numbers: list[Any] = [values.get(name) for name in (error, "h") for values in (coarse, fine)]
    if not all(number and number > 0 for number in numbers) or numbers[2] == numbers[3]:
        return None
    return math.log(numbers[0] / numbers[1]) / math.log(numbers[2] / numbers[3])
