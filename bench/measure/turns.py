"""Functions timed in turns (ABAB…), so that what slows the machine down falls on all of them.

A ratio is the median of the ratios round by round, with an interval for that median from order
statistics: no assumption on how times are spread. A target is measured, never asserted: whether a
clock meets it depends on the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

import numpy as np

from bench.measure.medians import median

COVERAGE = 0.95


@dataclass(frozen=True)
class Ratio:
    """A median with its interval; low and high are the extremes where rounds are too few."""

    value: float
    low: float
    high: float
    rounds: int


@dataclass(frozen=True)
class Turns:
    """Seconds of each function in each round."""

    seconds: Mapping[str, np.ndarray]

    def median(self, name: str) -> float:
        return median(self.seconds[name])

    def ratio(self, over: str, under: str) -> Ratio:
        """How many times `under` goes into `over`; 3: `over` takes three times as long."""
        return median_with_interval(self.seconds[over] / self.seconds[under])


def in_turns(
    rounds: int, calls: Mapping[str, Callable[[], Any]], clock: Callable[[], float] = process_time
) -> Turns:
    """Every function once to warm up, then all of them in each round."""
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = clock()
            call()
            seconds[name].append(clock() - start)
    return Turns({name: np.array(values) for name, values in seconds.items()})


def median_with_interval(values: Sequence[float] | np.ndarray, coverage: float = COVERAGE) -> Ratio:
    """The median, and the k-th smallest and largest value between which the true median lies.

    The k-th from either end is passed by the true median with probability P(Binomial(m, ½) < k);
    k is the largest with twice that at most 1 − coverage (k = 1, the extremes, for m < 6).
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    count, k, tail = len(ordered), 1, 0.5 ** len(ordered)
    while k < count // 2:
        tail += math.comb(count, k) * 0.5**count
        if 2 * tail > 1 - coverage:
            break
        k += 1
    return Ratio(median(ordered), float(ordered[k - 1]), float(ordered[-k]), count)


def against_target(
    measured: Ratio, *, at_least: float | None = None, at_most: float | None = None
) -> dict[str, Any]:
    """The measured ratio and its target, as a benchmark's JSON keeps them.

    `met` is decided by the median; `by` is how many times better (above 1) or worse than the
    target it is; `sure` says whether the whole interval lies on the same side.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("give a target as either at_least or at_most")
    found: dict[str, Any] = asdict(measured)
    if at_least is not None:
        target, sense = at_least, "at least"
        by = measured.value / target
        met, ends = measured.value >= target, [measured.low >= target, measured.high >= target]
    else:
        assert at_most is not None
        target, sense = at_most, "at most"
        by = target / measured.value if measured.value > 0 else math.inf
        met, ends = measured.value <= target, [measured.low <= target, measured.high <= target]
    sure = all(end == met for end in ends)
    by_or_none = by if math.isfinite(by) else None
    return found | {"target": target, "sense": sense, "met": met, "sure": sure, "by": by_or_none}
