"""The choice of a scale without u: the indicator of the error, and the search for its minimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

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


class Search(Generic[Found]):
    """Downhill over a geometric grid: the middle, both neighbours, then on while η falls."""

    def __init__(self, attempt: Callable[[float], tuple[float, Found]], most: int) -> None:
        self.attempt, self.most = attempt, most
        self.tried: dict[int, tuple[float, Found]] = {}
        self.middle = 1.0

    def smallest(self, middle: float) -> Found:
        """What the attempt with the smallest η made."""
        self.middle = middle
        for place in (0, 1, -1)[: self.most]:
            self._try(place)
        while self.best in (min(self.tried), max(self.tried)) and len(self.tried) < self.most:
            self._try(self.best + (1 if self.best > 0 else -1))
        return self.tried[self.best][1]

    @property
    def best(self) -> int:
        return min(self.tried, key=lambda place: self.tried[place][0])

    @property
    def etas(self) -> dict[float, float]:
        """η by scale, of all attempts."""
        return {self.scale(place): self.tried[place][0] for place in sorted(self.tried)}

    def scale(self, place: int) -> float:
        return self.middle * STEP**place

    def _try(self, place: int) -> None:
        self.tried[place] = self.attempt(self.scale(place))
