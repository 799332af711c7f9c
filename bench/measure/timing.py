"""Timing. Seconds, in every table and document, are wall-clock time of the method alone on its
threads, after a warm-up: loading compiled code, drawing samples and measuring errors are not
included.

Repeats are summarised by medians and quartiles, never by means.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

# A first call may load compiled code, 2 s in a new process: short calls are repeated.
WARM_UP_BELOW_SECONDS = 5.0


@dataclass(frozen=True)
class Times:
    """The seconds of each repeat."""

    seconds: np.ndarray

    def values(self) -> dict[str, float]:
        low, middle, high = np.quantile(self.seconds, [0.25, 0.5, 0.75])
        return {"seconds": middle, "seconds_low": low, "seconds_high": high}


def clocked(function: Callable[[], T]) -> tuple[T, float]:
    """Return a function's result and its seconds."""
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def cpu_clocked(function: Callable[[], T]) -> tuple[T, float]:
    """Return a function's result and its CPU seconds on one thread: for queries of a tenth of a
    millisecond and sums of many, to which the clock on the wall would add a busy machine's pauses.
    """
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def warm(function: Callable[[], T]) -> tuple[T, float]:
    """Return a function's result and its seconds, of a second call if the first was short."""
    result, seconds = clocked(function)
    return clocked(function) if seconds < WARM_UP_BELOW_SECONDS else (result, seconds)


def timed(function: Callable[[], Any], repeats: int) -> Times:
    """Call once to warm up, then time `repeats` calls."""
    function()
    return Times(np.array([clocked(function)[1] for _ in range(repeats)]))
