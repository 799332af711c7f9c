"""Seconds of a function, repeated after a warm-up: medians and quartiles, never means."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Times:
    """What each repeat took."""

    seconds: np.ndarray

    def values(self) -> dict[str, float]:
        low, middle, high = np.quantile(self.seconds, [0.25, 0.5, 0.75])
        return {"seconds": middle, "seconds_low": low, "seconds_high": high}


def timed(function: Callable[[], Any], repeats: int) -> Times:
    """Calls once to warm up, then `repeats` times."""
    function()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return Times(np.array(seconds))
