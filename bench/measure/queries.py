"""Time per evaluated point: the same points for every method, vectorised on all sides."""

from __future__ import annotations

from collections.abc import Callable

from bench.domains import Array, Domain
from bench.domains.cube import DOMAIN as CUBE
from bench.measure.medians import median
from bench.measure.timing import clocked

POINTS = 100_000
TRIAL = 2_000
SECONDS = 1.0  # a method that would take longer for all points is timed on the trial alone
REPEATS = 3


def seconds_per_point(field: Callable[[Array], Array], domain: Domain | None = None) -> float:
    """The median of a few warm timings; a net's time includes its inputs f(x) and φ(x)."""
    points = (domain or CUBE).query_points(POINTS)
    field(points[:, :TRIAL])
    _, trial = clocked(lambda: field(points[:, :TRIAL]))
    if trial * POINTS / TRIAL > SECONDS:
        return trial / TRIAL
    return median(clocked(lambda: field(points))[1] for _ in range(REPEATS)) / POINTS
