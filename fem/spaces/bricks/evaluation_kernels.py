"""Compiled loops of the evaluation of fields on bricks."""

from __future__ import annotations

import numpy as np
from numba import njit

from fem.spaces import Array


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def legendre_table(x: Array, low: float, high: float, table: Array) -> None:
    """P_k at the points of an interval by their recurrence, (degrees, points)."""
    table[0] = 1.0
    for q in range(x.size):
        table[1, q] = (2.0 * x[q] - low - high) / (high - low)
    for k in range(1, len(table) - 1):
        a, b = (2 * k + 1) / (k + 1), k / (k + 1)
        for q in range(x.size):
            table[k + 1, q] = a * table[1, q] * table[k, q] - b * table[k - 1, q]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def sum_lines(lines: Array, A: Array, B: Array, out: Array, start: int) -> None:
    """out_dq = Σ_ij lines_dijq A_iq B_jq, for the points q from `start` on."""
    plane, total = np.empty(lines.shape[3]), np.empty(lines.shape[3])
    for d in range(3):
        total[:] = 0.0
        for i in range(lines.shape[1]):
            plane[:] = 0.0
            for j in range(lines.shape[2]):
                for q in range(plane.size):
                    plane[q] += lines[d, i, j, q] * B[j, q]
            for q in range(plane.size):
                total[q] += plane[q] * A[i, q]
        for q in range(total.size):
            out[d, start + q] = total[q]
