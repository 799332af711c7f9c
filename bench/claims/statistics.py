"""Paired comparisons over seeds: effect sizes with intervals, and tests for small samples.

Two arms are *paired* when they share initial weights and data, so each seed gives one ratio. Errors
live on a logarithmic scale. The test is Wilcoxon's signed-rank, two-sided: no direction is chosen,
before or after seeing the data. Effect and interval belong to this test: the median of all means
of two log-ratios (Hodges and Lehmann), and the shifts that the test does not reject at 5 %, which
is exact for symmetric log-ratios. A diverged run has no error: it counts as worse than every run
that has one (infinite), and is never dropped. A count of seeds is tested as fair coins.

How many seeds are needed is arithmetic. Where all of n pairs agree the exact two-sided p is 2/2^n,
and Holm multiplies the smallest p of a family by its size: n pairs can decide in a family of m
tests if m · 2/2^n < 0.05. Twelve pairs do up to m = 102, ten up to 25, six up to 1, five never.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from bench.measure.medians import median

Key = TypeVar("Key", bound=Hashable)
SIGNIFICANCE = 0.05  # a verdict is decided below this p-value, corrected over its family
LEVEL = 0.95  # of intervals
FEWEST = 6  # seeds for a 95 % interval; of fewer the range is given
# Twelve that agree decide in any family of up to 102 tests; our families are smaller.
DECIDING_SEEDS = 12
# The normal distribution's ratio of standard deviation to median absolute deviation.
SPREAD_OF_MAD = 1.4826


@dataclass(frozen=True)
class Comparison:
    """Arm a against arm b over paired seeds; a ratio below one: a has the smaller error.

    `spread` is the standard deviation of log(a/b) over seeds, from its median absolute deviation.
    """

    ratio: float
    low: float
    high: float
    p_value: float
    wins: int
    pairs: int
    diverged_a: int
    diverged_b: int
    spread: float = math.nan


def largest_family(pairs: int, significance: float = SIGNIFICANCE) -> int:
    """The largest family m of tests in which n agreeing pairs still decide: m·2/2^n < 5 %.

    >>> [largest_family(n) for n in (5, 6, 10, 12, 20)]
    [0, 1, 25, 102, 26214]
    """
    return max(0, math.ceil(significance * 2 ** (pairs - 1)) - 1)


def compare_logs(difference: np.ndarray, diverged_a: int = 0, diverged_b: int = 0) -> Comparison:
    """The comparison by log(a/b), one number per independent pair."""
    middle, low, high = shift(difference)
    return Comparison(
        ratio=_exp(middle),
        low=_exp(low),
        high=_exp(high),
        p_value=signed_rank(difference),
        wins=int((difference < 0).sum()),
        pairs=len(difference),
        diverged_a=diverged_a,
        diverged_b=diverged_b,
        spread=_spread(difference, middle),
    )


def _spread(difference: np.ndarray, middle: float) -> float:
    if not math.isfinite(middle):
        return math.nan
    with np.errstate(invalid="ignore"):
        return SPREAD_OF_MAD * median(np.abs(difference - middle))


def log_ratios(a: Sequence[float | None], b: Sequence[float | None]) -> np.ndarray:
    """log(a/b) of positive errors, pair by pair; ±inf where one of them diverged (None or NaN), 0
    where both did."""
    if len(a) != len(b) or len(a) == 0:
        raise ValueError(f"paired samples must be equally long and not empty: {len(a)}, {len(b)}")
    log_a, log_b = _logs(a), _logs(b)
    both_lost = np.isinf(log_a) & np.isinf(log_b)
    return np.where(both_lost, 0.0, log_a - np.where(both_lost, 0.0, log_b))


def _logs(errors: Sequence[float | None]) -> np.ndarray:
    values = np.array([math.inf if e is None or math.isnan(e) else e for e in errors], dtype=float)
    if (values < 0).any():
        raise ValueError("errors must not be negative")
    return np.log(np.maximum(values, np.finfo(float).tiny))


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def shift(values: np.ndarray) -> tuple[float, float, float]:
    """The typical value and its interval: the median and two order statistics of the means of all
    pairs of values, each with itself too. Opposite infinite values cancel."""
    first, second = np.triu_indices(len(values))
    bounded = np.clip(values, -INFINITE, INFINITE)
    means = np.sort((bounded[first] + bounded[second]) / 2)
    means[np.abs(means) > INFINITE / 4] *= math.inf
    if len(values) < FEWEST:
        return median(means), float(means[0]), float(means[-1])
    rejected = rejected_sums(len(values), 1 - LEVEL)
    return median(means), float(means[rejected - 1]), float(means[len(means) - rejected])


INFINITE = 1e9  # in place of an infinite log-ratio, to add it


@cache
def rejected_sums(n: int, level: float) -> int:
    """How many of the smallest rank sums the two-sided test rejects on each side at this level."""
    below = np.cumsum(_sums(np.arange(1, n + 1)))
    return int((below <= level / 2).sum())


def _sums(ranks: np.ndarray) -> np.ndarray:
    """The distribution of the sum of ranks whose signs are fair coins."""
    probability = np.ones(1)
    for rank in ranks:
        gap = np.zeros(rank)
        probability = 0.5 * (
            np.concatenate([probability, gap]) + np.concatenate([gap, probability])
        )
    return probability


def sign_test(true: int, seeds: int) -> float:
    """Two-sided p-value of so many heads of fair coins.

    >>> sign_test(12, 12) == 2 / 2**12, sign_test(3, 6)
    (True, 1.0)
    """
    fewer = min(true, seeds - true)
    tail = sum(math.comb(seeds, k) for k in range(fewer + 1)) / 2**seeds
    return min(1.0, 2 * tail)


def share_interval(true: int, seeds: int) -> tuple[float, float]:
    """Clopper and Pearson's interval of the share of seeds for which something is true."""
    from scipy.special import betaincinv

    tail = (1 - LEVEL) / 2
    low = betaincinv(true, seeds - true + 1, tail) if true else 0.0
    high = betaincinv(true + 1, seeds - true, 1 - tail) if true < seeds else 1.0
    return float(low), float(high)


def signed_rank(difference: np.ndarray) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test, exact also with ties; one if all pairs tie.

    Under the null every sign is a fair coin, so the distribution of the sum of the positive ranks
    follows by adding one rank at a time. Tied ranks are shared (SciPy turns to the normal
    approximation there: 0.0022 instead of 0.00049 for twelve diverged runs against twelve that
    did not), pairs that tie with each other are left out, and infinite differences share the
    largest ranks: only signs and ranks enter.
    """
    moved = difference[difference != 0]
    if moved.size == 0:
        return 1.0
    doubled = _doubled_ranks(np.abs(moved))
    probability = _sums(doubled)
    positive = int(doubled[moved > 0].sum())
    below, above = probability[: positive + 1].sum(), probability[positive:].sum()
    return float(min(1.0, 2 * min(below, above)))


def _doubled_ranks(sizes: np.ndarray) -> np.ndarray:
    """Twice the rank, ties sharing their mean: whole numbers."""
    _, inverse, count = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    shared: np.ndarray = (2 * last - count + 1)[inverse]
    return shared


def holm(p_values: Mapping[Key, float], family: int | None = None) -> dict[Key, float]:
    """Holm's step-down adjustment: p-values that may all be read at once.

    `family` is the number of tests that were declared, where not all of them have data yet; the
    others count as if their p were 1.
    """
    adjusted: dict[Key, float] = {}
    running = 0.0
    ordered = sorted(p_values.items(), key=lambda item: item[1])
    size = max(len(ordered), family or 0)
    for index, (name, p) in enumerate(ordered):
        running = max(running, min(1.0, (size - index) * p))
        adjusted[name] = running
    return adjusted
