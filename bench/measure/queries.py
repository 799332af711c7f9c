"""Time per evaluated point: the same points for every method, vectorised on all sides."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bench.problems import Array

POINTS = 100_000
TRIAL = 2_000
SECONDS = 1.0  # a method that would take longer for all points is timed on the trial alone
REPEATS = 3


def query_points(count: int = POINTS) -> Array:
    """Points (3, count) of the cube inside the cylinder, where every method is defined, unordered:
    a finite element has to find the cell of each, as it would for a user."""
    rho, turn, height = np.random.Generator(np.random.Philox(0)).random((3, count))
    r, theta = np.sqrt(rho), 0.5 * np.pi * turn
    return np.stack([r * np.cos(theta), r * np.sin(theta), height])


def seconds_per_point(field: Callable[[Array], Array]) -> float:
    """The median of a few, warm; a net's time includes its inputs f(x) and φ(x)."""
    points = query_points()
    field(points[:, :TRIAL])
    trial = _seconds(field, points[:, :TRIAL])
    if trial * POINTS / TRIAL > SECONDS:
        return trial / TRIAL
    return float(np.median([_seconds(field, points) for _ in range(REPEATS)])) / POINTS


def _seconds(field: Callable[[Array], Array], points: Array) -> float:
    start = time.perf_counter()
    field(points)
    return time.perf_counter() - start
