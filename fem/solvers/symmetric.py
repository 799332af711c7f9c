"""Sparse symmetric matrices A = L + D + Lᵀ of which only L and D are stored.

Each kernel makes one pass over L, half the memory traffic of the full matrix: it gathers with a
row of L and scatters with the same row as a column of Lᵀ. Forward Gauss–Seidel from zero gives
its residual for nothing, r − A x = −Lᵀ x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.spaces import Array

Pointers = NDArray[np.int64]
Indices = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Symmetric:
    """L by rows (start, column, value) and the diagonal; vectors are (size,) or (size, K)."""

    diagonal: Array
    start: Pointers
    column: Indices
    value: Array

    @classmethod
    def of(cls, matrix: Any) -> Symmetric:
        """The lower half of a scipy matrix that is symmetric."""
        from scipy.sparse import tril

        lower = tril(matrix, k=-1, format="csr")
        return cls(
            np.asarray(matrix.diagonal(), float),
            lower.indptr.astype(np.int64),
            lower.indices.astype(np.int32),
            np.asarray(lower.data, float),
        )

    @cached_property
    def _lower(self) -> tuple[Pointers, Indices, Array]:
        return self.start, self.column, self.value

    def __matmul__(self, x: Array) -> Array:
        """A x."""
        y = np.empty_like(x)
        kernel = _multiply if x.ndim == 1 else _multiply_block
        kernel(*self._lower, self.diagonal, x, y)
        return y

    def forward(self, inverse: Array, r: Array) -> tuple[Array, Array]:
        """x = (L + D)⁻¹ r and its residual r − A x; `inverse` is 1/D, 0 where x shall be 0."""
        x, rest = np.empty_like(r), np.empty_like(r)
        kernel = _forward if r.ndim == 1 else _forward_block
        kernel(*self._lower, inverse, r, x, rest)
        return x, rest

    def backward(self, inverse: Array, r: Array, x: Array) -> None:
        """x ← x + (D + Lᵀ)⁻¹ r; r is used up."""
        kernel = _backward if r.ndim == 1 else _backward_block
        kernel(*self._lower, inverse, r, x)


@njit(cache=True, nogil=True, fastmath={"contract"})
def _multiply(
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
def _forward(
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
def _backward(
    start: Pointers, column: Indices, value: Array, inverse: Array, r: Array, x: Array
) -> None:
    for i in range(inverse.size - 1, -1, -1):
        e = r[i] * inverse[i]
        x[i] += e
        for k in range(start[i], start[i + 1]):
            r[column[k]] -= value[k] * e


@njit(cache=True, nogil=True, fastmath={"contract"})
def _multiply_block(
    start: Pointers, column: Indices, value: Array, diagonal: Array, x: Array, y: Array
) -> None:
    width = x.shape[1]
    for i in range(diagonal.size):
        for c in range(width):
            y[i, c] = diagonal[i] * x[i, c]
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                y[i, c] += v * x[j, c]
                y[j, c] += v * x[i, c]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _forward_block(
    start: Pointers, column: Indices, value: Array, inverse: Array, r: Array, x: Array, rest: Array
) -> None:
    width = r.shape[1]
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
def _backward_block(
    start: Pointers, column: Indices, value: Array, inverse: Array, r: Array, x: Array
) -> None:
    width = r.shape[1]
    for i in range(inverse.size - 1, -1, -1):
        for c in range(width):
            r[i, c] *= inverse[i]
            x[i, c] += r[i, c]
        for k in range(start[i], start[i + 1]):
            j, v = column[k], value[k]
            for c in range(width):
                r[j, c] -= v * r[i, c]
