"""At equal error: a net's time to the error that a mesh has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.store.results import StoredResult, median
from reports.competitors import Competitor


@dataclass(frozen=True)
class Reached:
    """The net that reaches an error soonest: in `seconds` (median), in so many of its seeds."""

    net: Competitor
    seconds: float
    seeds: int


def soonest_net(error: float, field: Sequence[Competitor]) -> Reached | None:
    """Among the nets that reach the error in more than half of their seeds."""
    able = []
    for net in (c for c in field if c.is_net):
        times = [_seconds_to_reach(record, error) for record in net.records]
        reached = sum(math.isfinite(time) for time in times)
        if 2 * reached > net.seeds:
            able.append(Reached(net, median(times), reached))
    return min(able, key=lambda found: found.seconds, default=None)


def _seconds_to_reach(record: StoredResult, error: float) -> float:
    """Read off the recorded curve, after what went before it (a tuned net's search); or never."""
    if "curve_l2_error" not in record.arrays:  # a kind that records its end only
        reached = (record.values.get("l2_error") or math.inf) <= error
        return float(record.values["seconds"]) if reached else math.inf
    below = np.flatnonzero(np.asarray(record.arrays["curve_l2_error"]) <= error)
    if not below.size:
        return math.inf
    seconds = np.asarray(record.arrays["curve_seconds"], dtype=float)
    before = max(0.0, float(record.values["seconds"]) - float(seconds[-1]))
    return before + float(seconds[below[0]])
