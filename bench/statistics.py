"""Paired comparisons over seeds: effect sizes with intervals, and tests small samples can bear.

Two arms are *paired* when they share initial weights and data, so each seed gives one ratio. Errors
live on a logarithmic scale: the effect is the median of log(a/b), its interval a bootstrap over
seeds, its test Wilcoxon's signed-rank. A diverged run has no error: it counts as worse than every
run that has one (infinite), and is never dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from bench.medians import median, medians

LEVEL = 0.95
RESAMPLES = 10_000
# Fewer pairs cannot decide: five give a two-sided signed-rank p of at least 0.0625.
FEWEST_PAIRS = 6


@dataclass(frozen=True)
class Comparison:
    """Arm a against arm b over paired seeds; a ratio below one: a has the smaller error."""

    ratio: float
    low: float
    high: float
    p_value: float
    wins: int
    pairs: int
    diverged_a: int
    diverged_b: int


def observed_rate(coarse: Mapping[str, Any], fine: Mapping[str, Any], error: str) -> float | None:
    """log(e/e′) / log(h/h′) between two meshes of a family, by what their cells measured."""
    numbers: list[Any] = [values.get(name) for name in (error, "h") for values in (coarse, fine)]
    if not all(number and number > 0 for number in numbers) or numbers[2] == numbers[3]:
        return None
    return math.log(numbers[0] / numbers[1]) / math.log(numbers[2] / numbers[3])


def compare_paired(a: Sequence[float | None], b: Sequence[float | None]) -> Comparison:
    """The comparison of two paired samples of positive errors; None or NaN is a diverged run."""
    log_a, log_b = _logs(a), _logs(b)
    difference = log_ratios(a, b)
    low, high = bootstrap_median(difference)
    return Comparison(
        ratio=_exp(median(difference)),
        low=_exp(low),
        high=_exp(high),
        p_value=signed_rank(difference),
        wins=int((difference < 0).sum()),
        pairs=len(difference),
        diverged_a=int(np.isposinf(log_a).sum()),
        diverged_b=int(np.isposinf(log_b).sum()),
    )


def median_ratio(a: Sequence[float | None], b: Sequence[float | None]) -> float:
    """The effect alone, without interval and test."""
    return _exp(median(log_ratios(a, b)))


def log_ratios(a: Sequence[float | None], b: Sequence[float | None]) -> np.ndarray:
    """log(a/b) pair by pair; ±inf where one of them diverged, 0 where both did."""
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


def bootstrap_median(
    values: np.ndarray, level: float = LEVEL, seed: int = 0
) -> tuple[float, float]:
    """A percentile interval of the median; infinite values take part as what they are."""
    generator = np.random.Generator(np.random.Philox(seed))
    picks = generator.integers(0, len(values), size=(RESAMPLES, len(values)))
    tail = (1 - level) / 2
    low, high = np.quantile(medians(values[picks], axis=1), [tail, 1 - tail], method="nearest")
    return float(low), float(high)


def signed_rank(difference: np.ndarray) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test; one where all pairs tie.

    Infinite differences get the largest rank: only signs and ranks enter.
    """
    moved = difference[difference != 0]
    if moved.size == 0:
        return 1.0
    finite = np.abs(moved[np.isfinite(moved)])
    beyond = 2 * finite.max() if finite.size else 1.0
    ranks = np.where(np.isinf(moved), np.copysign(beyond, moved), moved)
    return float(stats.wilcoxon(ranks).pvalue)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down adjustment: p-values that may all be read at once."""
    adjusted: dict[str, float] = {}
    running = 0.0
    ordered = sorted(p_values.items(), key=lambda item: item[1])
    for index, (name, p) in enumerate(ordered):
        running = max(running, min(1.0, (len(ordered) - index) * p))
        adjusted[name] = running
    return adjusted
