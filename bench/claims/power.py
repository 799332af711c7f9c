"""The effect that n paired seeds can detect, for tests that did not decide.

The effect is in units of the spread: the median of log(a/b) over its standard deviation between
seeds. With the measured spread it becomes a factor, and a sentence: "twenty seeds would have
found a factor of 1.3 in four runs of five".
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from bench.claims.statistics import SIGNIFICANCE, largest_family, rejected_sums

POWER = 0.8
TRIALS = 4000
RESOLUTION = 0.01


@cache
def detectable_effect(pairs: int, family: int, power: float = POWER) -> float:
    """The smallest |median| / spread that the signed-rank test finds in `power` of all ledgers.

    For normal log-ratios, at the level that Holm asks of the smallest p in a family of that size;
    by simulation with a fixed seed. Infinite where not even full agreement decides.
    """
    if largest_family(pairs) < family:
        return math.inf
    critical = rejected_sums(pairs, SIGNIFICANCE / family) - 1  # the largest rejected sum
    noise = np.random.Generator(np.random.Philox(pairs)).normal(size=(TRIALS, pairs))
    low, high = 0.0, 64.0
    while high - low > RESOLUTION:
        middle = 0.5 * (low + high)
        found = _least_tail(noise + middle) <= critical
        low, high = (low, middle) if found.mean() >= power else (middle, high)
    return high


def detectable_factor(pairs: int, family: int, spread: float) -> float:
    """The ratio of errors that belongs to `detectable_effect` at this spread of log-ratios."""
    exponent = detectable_effect(pairs, family) * spread if spread else 0.0
    return math.exp(exponent) if exponent < 700 else math.inf


def _least_tail(samples: np.ndarray) -> np.ndarray:
    """Row by row the smaller of the two sums of ranks: positive ones, negative ones."""
    ranks = np.abs(samples).argsort(axis=1).argsort(axis=1) + 1
    positive = np.where(samples > 0, ranks, 0).sum(axis=1)
    least: np.ndarray = np.minimum(positive, ranks.sum(axis=1) - positive)
    return least
