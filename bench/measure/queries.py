"""Time per evaluated point: the same points for every method, vectorised on all sides."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bench import domains
from bench.domains import Array, Domain

POINTS = 100_000
TRIAL = 2_000
SECONDS = 1.0  # a method that would take longer for all points is timed on the trial alone
REPEATS = 3


def seconds_per_point(field: Callable[[Array], Array], domain: Domain | None = None) -> float:
    """The median of a few, warm; a net's time includes its inputs f(x) and φ(x)."""
    points = (domain or domains.get("cube")).query_points(POINTS)
    field(points[:, :TRIAL])
    trial = _seconds(field, points[:, :TRIAL])
    if trial * POINTS / TRIAL > SECONDS:
        return trial / TRIAL
    return float(np.median([_seconds(field, points) for _ in range(REPEATS)])) / POINTS


def _seconds(field: Callable[[Array], Array], points: Array) -> float:
    start = time.perf_counter()
    field(points)
    return time.perf_counter() - start
