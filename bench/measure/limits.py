"""What the machine can do at best, measured in the same run: memory traffic, matrix products.

One thread. A kernel's share of its limit says how far it could still be sped up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from bench.measure.turns import in_turns

TRIAD_ENTRIES = 16_000_000  # 128 MB per array: beyond every cache
PRODUCT_SIZE = 1024


@cache
def bandwidth() -> float:
    """Bytes per second of a[i] = b[i] + s c[i] on arrays beyond the caches: 24 per entry."""
    triad = _triad()
    a, b, c = (np.zeros(TRIAD_ENTRIES) for _ in range(3))
    return 24 * TRIAD_ENTRIES / _least(lambda: triad(a, b, c, 3.0))


@cache
def product_flops(dtype: str = "float64", size: int = PRODUCT_SIZE) -> float:
    """Multiplications and additions per second of a square matrix product."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        kind = getattr(torch, dtype)
        a, out = torch.ones(size, size, dtype=kind), torch.empty(size, size, dtype=kind)
        return 2 * size**3 / _least(lambda: torch.mm(a, a, out=out))
    finally:
        torch.set_num_threads(before)


def _least(call: Callable[[], Any]) -> float:
    """The best of several: a limit is what the machine can do when nothing disturbs it."""
    return float(in_turns(7, {"call": call}).seconds["call"].min())


@cache
def _triad() -> Callable[..., None]:
    from numba import njit

    @njit(fastmath=True)
    def triad(a: Any, b: Any, c: Any, s: float) -> None:
        for i in range(a.size):
            a[i] = b[i] + s * c[i]

    compiled: Callable[..., None] = triad
    return compiled
