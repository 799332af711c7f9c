"""Curl, divergence and curl curl from jets (channels, 3, N): v, ∂₁v, ∂₂v, ∂₃v, then ∂_j∂_k v.

The six second derivatives are ordered 11, 12, 13, 22, 23, 33. A field with derivatives offers
`jets(x, order)` at points (3, N), order "value", "first" or "second": 1, 4 or 10 channels.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fem.spaces import Array

SECOND = {(0, 0): 4, (0, 1): 5, (0, 2): 6, (1, 1): 7, (1, 2): 8, (2, 2): 9}
CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


class Smooth(Protocol):
    """A field with derivatives."""

    def jets(self, x: Array, order: str) -> Array: ...


def curl(J: Array) -> Array:
    return np.stack([J[1 + j, k] - J[1 + k, j] for i, j, k in CYCLES])


def divergence(J: Array) -> Array:
    return np.asarray(J[1, 0] + J[2, 1] + J[3, 2])


def curl_curl(J: Array) -> Array:
    """∇ div v − Δv."""
    rows = [
        sum(J[SECOND[min(i, j), max(i, j)], j] - J[SECOND[j, j], i] for j in range(3))
        for i in range(3)
    ]
    return np.stack(rows)
