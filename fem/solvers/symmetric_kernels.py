"""Compiled product and Gauss–Seidel sweeps of a symmetric matrix, kept by its lower half.

They are called with unsigned views of pointers and columns: a signed index might be negative, and
numba asks at every access, which takes a quarter to a third of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.spaces import Array

Pointers = NDArray[np.int64]
Indices = NDArray[np.int32]


@njit(cache=True, nogil=True)
def lower_half(start: Any, column: Any, value: Any) -> tuple[Pointers, Indices, Array]:
    """The entries below the diagonal of a matrix by rows."""
    size = start.size - 1
    starts = np.zeros(size + 1, np.int64)
    for i in range(size):
        below = 0
        for k in range(start[i], start[i + 1]):
            below += column[k] < i
        starts[i + 1] = starts[i] + below
    columns, values = np.empty(starts[size], np.int32), np.empty(starts[size])
    for i in range(size):
        end = starts[i]
        for k in range(start[i], start[i + 1]):
            if column[k] < i:
                columns[end], values[end] = column[k], value[k]
                end += 1
    return starts, columns, values


@njit(cache=True, nogil=True, fastmath={"contract"})
def multiply(
    start: Pointers, column: Indices, value: Array, diagonal: Array, x: Array, y: Array
) -> None:
    for i in range(diagonal.size):
        xi = x[i]
        total = diagonal[i] * xi
        for k in range(start[i], start[i + 1]):
            j = column[k]
            total += value[k] * x[j]
            y[j] += value[k] * xi
        y[i] = total


@njit(cache=True, nogil=True, fastmath={"contract"})
def forward(
    start: Pointers, column: Indices, value: Array, inverse: Array, r: Array, x: Array, rest: Array
) -> None:
    for i in range(inverse.size):
        total = r[i]
        for k in range(start[i], start[i + 1]):
            total -= value[k] * x[column[k]]
        xi = total * inverse[i]
        x[i] = xi
        rest[i] = 0.0
        for k in range(start[i], start[i + 1]):
            rest[column[k]] -= value[k] * xi


@njit(cache=True, nogil=True, fastmath={"contract"})
def correct_backward(
    start: Pointers,
    column: Indices,
    value: Array,
    diagonal: Array,
    inverse: Array,
    correction: Array,
    r: Array,
    x: Array,
) -> None:
    for i in range(inverse.size - 1, -1, -1):
        total = r[i] - diagonal[i] * correction[i]
        for k in range(start[i], start[i + 1]):
            total -= value[k] * correction[column[k]]
        e = correction[i] + total * inverse[i]
        x[i] += e
        for k in range(start[i], start[i + 1]):
            r[column[k]] -= value[k] * e


@njit(cache=True, nogil=True, fastmath={"contract"})
def backward(
    start: Pointers, column: Indices, value: Array, inverse: Array, r: Array, x: Array
) -> None:
    for i in range(inverse.size - 1, -1, -1):
        e = r[i] * inverse[i]
        x[i] += e
        for k in range(start[i], start[i + 1]):
            r[column[k]] -= value[k] * e
