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

from fem.solvers import symmetric_block_kernels as by_block
from fem.solvers import symmetric_kernels as by_vector
from fem.solvers.symmetric_kernels import Indices, Pointers
from fem.spaces import Array


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
        kernel = by_vector.multiply if x.ndim == 1 else by_block.multiply
        kernel(*self._lower, self.diagonal, x, y)
        return y

    def forward(self, inverse: Array, r: Array) -> tuple[Array, Array]:
        """x = (L + D)⁻¹ r and its residual r − A x; `inverse` is 1/D, 0 where x shall be 0."""
        x, rest = np.empty_like(r), np.empty_like(r)
        kernel = by_vector.forward if r.ndim == 1 else by_block.forward
        kernel(*self._lower, inverse, r, x, rest)
        return x, rest

    def backward(self, inverse: Array, r: Array, x: Array) -> None:
        """x ← x + (D + Lᵀ)⁻¹ r; r is used up."""
        kernel = by_vector.backward if r.ndim == 1 else by_block.backward
        kernel(*self._lower, inverse, r, x)

    def correct_backward(self, inverse: Array, correction: Array, r: Array, x: Array) -> None:
        """x ← x + c, r ← r − A c for a correction c, then `backward`, in one pass over L."""
        by_vector.correct_backward(*self._lower, self.diagonal, inverse, correction, r, x)
