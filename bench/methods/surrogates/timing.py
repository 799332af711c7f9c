"""CPU seconds of a call on one thread.

A query takes a tenth of a millisecond and offline phases are sums of many: on a machine that does
something else too, the clock on the wall would charge its pauses to the sums but not to medians.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def clocked(function: Callable[[], T]) -> tuple[T, float]:
    """Return a function's result and its CPU seconds."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start
