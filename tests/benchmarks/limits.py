"""What the machine can do at best, measured in the same run: memory traffic, matrix products.

One thread. A kernel's share of its limit says how far it could still be sped up.
"""

from functools import cache

import numpy as np
import torch
from numba import njit
from turns import in_turns

TRIAD_ENTRIES = 16_000_000  # 128 MB per array: beyond every cache
PRODUCT_SIZE = 1024


@cache
def bandwidth():
    """Bytes per second of a[i] = b[i] + s c[i] on arrays beyond the caches: 24 per entry."""
    a, b, c = (np.zeros(TRIAD_ENTRIES) for _ in range(3))
    return 24 * TRIAD_ENTRIES / _least(lambda: _triad(a, b, c, 3.0))


@cache
def product_flops(dtype):
    """Multiplications and additions per second of a square matrix product."""
    a = torch.ones(PRODUCT_SIZE, PRODUCT_SIZE, dtype=getattr(torch, dtype))
    out = torch.empty_like(a)
    return 2 * PRODUCT_SIZE**3 / _least(lambda: torch.mm(a, a, out=out))


def _least(call):
    """The best of several: a limit is what the machine can do when nothing disturbs it."""
    return float(in_turns(7, {"call": call}).seconds["call"].min())


@njit(fastmath=True)
def _triad(a, b, c, s):
    for i in range(a.size):
        a[i] = b[i] + s * c[i]
