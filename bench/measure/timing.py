"""The clock. Seconds, in every table and document, are those that pass on the wall while the
method alone is at work on its threads, warm: loading compiled code, drawing samples and measuring
errors are not included.

Repeats are summarised by medians and quartiles, never by means.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

# A first call may load compiled code, 2 s in a fresh process: short ones are made again.
WARM_UP_BELOW_SECONDS = 5.0


@dataclass(frozen=True)
class Times:
    """What each repeat took."""

    seconds: np.ndarray

    def values(self) -> dict[str, float]:
        low, middle, high = np.quantile(self.seconds, [0.25, 0.5, 0.75])
        return {"seconds": middle, "seconds_low": low, "seconds_high": high}


def clocked(function: Callable[[], T]) -> tuple[T, float]:
    """Return a function's result and its seconds."""
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def warm(function: Callable[[], T]) -> tuple[T, float]:
    """What a function gives and its seconds, by a second call where the first was short."""
    result, seconds = clocked(function)
    return clocked(function) if seconds < WARM_UP_BELOW_SECONDS else (result, seconds)


def timed(function: Callable[[], Any], repeats: int) -> Times:
    """Calls once to warm up, then `repeats` times."""
    function()
    return Times(np.array([clocked(function)[1] for _ in range(repeats)]))
