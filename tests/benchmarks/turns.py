"""Functions timed in turns (ABAB…), so that what slows the machine down falls on all of them.

A ratio is the median of the ratios round by round, with an interval for that median from order
statistics: no assumption on how times are spread. A target is measured, never asserted: whether a
clock meets it depends on the machine.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from time import process_time

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

    def median(self, name):
        return median(self.seconds[name])

    def ratio(self, over, under):
        """How many times `under` goes into `over`; 3: `over` takes three times as long."""
        return median_with_interval(self.seconds[over] / self.seconds[under])


def in_turns(rounds, calls):
    """Every function once to warm up, then all of them in each round, in CPU seconds."""
    for call in calls.values():
        call()
    seconds = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = process_time()
            call()
            seconds[name].append(process_time() - start)
    return Turns({name: np.array(values) for name, values in seconds.items()})


def slope(sizes, call_of, rounds=3):
    """The exponent of cost against size: the least-squares slope of log seconds over log size."""
    turns = in_turns(rounds, {str(size): call_of(size) for size in sizes})
    seconds = [turns.median(str(size)) for size in sizes]
    return float(np.polyfit(np.log(list(sizes)), np.log(seconds), 1)[0])


def median_with_interval(values, coverage=COVERAGE):
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


def against_target(measured, *, at_least=None, at_most=None):
    """The measured ratio and its target, as a benchmark's JSON keeps them.

    `met` is decided by the median; `by` is how many times better (above 1) or worse than the
    target it is; `sure` says whether the whole interval lies on the same side.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("give a target as either at_least or at_most")
    values = measured.value, measured.low, measured.high
    if at_most is None:
        target, sense, by = at_least, "at least", measured.value / at_least
        met, *ends = (value >= target for value in values)
    else:
        target, sense = at_most, "at most"
        by = target / measured.value if measured.value > 0 else None
        met, *ends = (value <= target for value in values)
    sure = all(end == met for end in ends)
    return asdict(measured) | {
        "target": target, "sense": sense, "met": met, "sure": sure, "by": by,
    }  # fmt: skip
