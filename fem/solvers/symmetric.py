"""Sparse symmetric matrices A = L + D + Lᵀ of which only L and D are stored.

Each kernel makes one pass over L, half the memory traffic of the full matrix: it gathers with a
row of L and scatters with the same row as a column of Lᵀ. Forward Gauss–Seidel from zero gives
its residual for nothing, r − A x = −Lᵀ x.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
        rows = matrix.tocsr()
        diagonal = np.asarray(rows.diagonal(), float)
        return cls(diagonal, *by_vector.lower_half(rows.indptr, rows.indices, rows.data))

    def single(self) -> Symmetric:
        """L in single precision, for sweeps that precondition: a fifth less time. D stays.

        Entries of L are at most as large as those of D; if these are extreme, nothing changes.
        """
        ordinary = self.diagonal.max() < 1e30 and self.diagonal.min() > 1e-30
        return replace(self, value=self.value.astype(np.float32)) if ordinary else self

    @cached_property
    def _lower(self) -> tuple[Any, Any, Array]:
        return self.start.view(np.uint64), self.column.view(np.uint32), self.value

    def _run(self, name: str, like: Array, *args: Array) -> None:
        """Call the kernel for one vector, or for several."""
        if like.ndim == 1:
            getattr(by_vector, name)(*self._lower, *args)
        else:
            getattr(by_block, name)((0,) * like.shape[1], *self._lower, *args)

    def __matmul__(self, x: Array) -> Array:
        """A x."""
        y = np.empty_like(x)
        self._run("multiply", x, self.diagonal, x, y)
        return y

    def forward(self, inverse: Array, r: Array) -> tuple[Array, Array]:
        """x = (L + D)⁻¹ r and its residual r − A x; `inverse` is 1/D, 0 where x shall be 0."""
        x, rest = np.empty_like(r), np.empty_like(r)
        self._run("forward", r, inverse, r, x, rest)
        return x, rest

    def backward(self, inverse: Array, r: Array, x: Array) -> None:
        """x ← x + (D + Lᵀ)⁻¹ r for one vector; r is used up."""
        by_vector.backward(*self._lower, inverse, r, x)

    def correct_backward(self, inverse: Array, correction: Array, r: Array, x: Array) -> None:
        """x ← x + c, r ← r − A c for a correction c, then `backward`, in one pass over L."""
        self._run("correct_backward", r, self.diagonal, inverse, correction, r, x)
