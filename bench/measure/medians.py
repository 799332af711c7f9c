"""Medians over seeds, where a run without a number (it diverged) counts as +∞."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["median", "medians"]


def median(values: Iterable[float | None]) -> float:
    """The middle value, or the mean of the two middle ones; +∞ where half of the runs diverged."""
    return float(medians(list(values)))


def medians(values: Any, axis: int = 0) -> NDArray[np.float64]:
    """Medians along an axis of a table, for instance of curves step by step.

    The median is 0 where −∞ and +∞ (logarithms of ratios to and of diverged runs) are the two
    middle values.
    """
    numbers = np.array(values, dtype=np.float64)  # None becomes NaN
    table = np.sort(np.where(np.isnan(numbers), np.inf, numbers), axis)
    size = table.shape[axis]
    if size == 0:
        raise ValueError("median of an empty sequence")
    low, high = (np.take(table, place, axis) for place in ((size - 1) // 2, size // 2))
    tie = np.isneginf(low) & np.isposinf(high)
    return np.where(tie, 0.0, np.where(tie, 0.0, low) / 2 + high / 2)
