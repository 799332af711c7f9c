"""The kernels of `symmetric_kernels` for several vectors at a time, side by side.

`lanes` is a tuple as long as there are vectors: its length is known to the compiler, which unrolls
the loops over them (a quarter to a third less time).
"""

from __future__ import annotations

from typing import Any

from numba import njit

from fem.solvers.symmetric_kernels import Indices, Pointers
from fem.spaces import Array


@njit(cache=True, nogil=True, fastmath={"contract"})
def multiply(
    lanes: Any, start: Pointers, column: Indices, value: Array, diagonal: Array, x: Array, y: Array,
) -> None:  # fmt: skip
    width = len(lanes)
    for i in range(diagonal.size):
        for c in range(width):
            y[i, c] = diagonal[i] * x[i, c]
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                y[i, c] += v * x[j, c]
                y[j, c] += v * x[i, c]


@njit(cache=True, nogil=True, fastmath={"contract"})
def forward(
    lanes: Any, start: Pointers, column: Indices, value: Array, inverse: Array, r: Array, x: Array,
    rest: Array,
) -> None:  # fmt: skip
    width = len(lanes)
    for i in range(inverse.size):
        for c in range(width):
            x[i, c] = r[i, c]
            rest[i, c] = 0.0
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                x[i, c] -= v * x[j, c]
        for c in range(width):
            x[i, c] *= inverse[i]
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                rest[j, c] -= v * x[i, c]


@njit(cache=True, nogil=True, fastmath={"contract"})
def correct_backward(
    lanes: Any, start: Pointers, column: Indices, value: Array, diagonal: Array, inverse: Array,
    correction: Array, r: Array, x: Array,
) -> None:  # fmt: skip
    width = len(lanes)
    for i in range(inverse.size - 1, -1, -1):
        for c in range(width):
            r[i, c] -= diagonal[i] * correction[i, c]
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                r[i, c] -= v * correction[j, c]
        for c in range(width):
            r[i, c] = correction[i, c] + r[i, c] * inverse[i]
            x[i, c] += r[i, c]
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                r[j, c] -= v * r[i, c]
