"""The choice of a scale without u: the indicator of the error, and the search for its minimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

Found = TypeVar("Found")
STEP = 1.5  # between neighbouring scales
MOST_SOLVES = 6  # of one search

# Two things stop random features: the residual between the points, and rounding. On `maxwell` and
# `helix` (300 to 1200 features, pilot seeds) the error is about residual/800 in the first case and
# 0.22 ε |c|₂ in the second, c the output weights: η is 0.3 to 4 times the error. Small scales make
# c large. The residual alone takes scales that are too small, at up to five times the error.
PER_RESIDUAL, PER_WEIGHT = 1 / 800, 0.22 * float(np.finfo(float).eps)


def indicator(residual: float, weights: float) -> float:
    """η, from the root mean square residual at fresh points and the norm of the output weights."""
    value = PER_RESIDUAL * residual + PER_WEIGHT * weights
    return value if np.isfinite(value) else np.inf


def searched(
    attempt: Callable[[float], tuple[float, Found]], middle: float, most: int
) -> dict[float, tuple[float, Found]]:
    """Downhill over a geometric grid: the middle, both neighbours, then on while η falls. What was
    tried, by scale: η and what the attempt made."""
    tried: dict[int, tuple[float, Found]] = {}

    def best() -> int:
        return min(tried, key=lambda place: tried[place][0])

    for place in (0, 1, -1)[:most]:
        tried[place] = attempt(middle * STEP**place)
    while best() in (min(tried), max(tried)) and len(tried) < most:
        place = best() + (1 if best() > 0 else -1)
        tried[place] = attempt(middle * STEP**place)
    return {middle * STEP**place: tried[place] for place in sorted(tried)}
