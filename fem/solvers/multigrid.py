"""One V-cycle of algebraic multigrid for several right-hand sides at once.

Smoothed aggregation (Vaněk, Mandel, Brezina, Computing 56, 1996) on the aggregates of pyamg. The
cycle is our own: pyamg takes one vector at a time; four together read each matrix once, not four
times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from fem.solvers.symmetric import Symmetric
from fem.solvers.symmetric_kernels import Indices
from fem.spaces import Array

MAX_COARSE = 200
MAX_DENSE = 600  # nodes of a coarsest matrix that is inverted, not factorised
SHIFT = 1e-10  # relative to the diagonal
STALLED = 0.8  # more aggregates per node: coarsening does not pay
STRONG = 0.08  # θ of strong connections; 0.2 takes 29 iterations on the graded prism, not 17


@dataclass(frozen=True, eq=False)
class _Level:
    matrix: Symmetric
    inverse: Array  # of the diagonal
    prolongation: Any  # csr_array from the next coarser level


class Multigrid:
    """An approximate inverse of a symmetric positive semi-definite nodal matrix."""

    def __init__(self, matrix: Any, thin: bool = False) -> None:
        """`thin`: whether the mesh has thin cells, whose weak connections are to be left out."""
        self.levels: list[_Level] = []
        while matrix.shape[0] > MAX_COARSE:
            level = _level(matrix, STRONG / 2 ** len(self.levels) if thin else 0.0)
            if level is None:
                break
            self.levels.append(level)
            transfer = level.prolongation
            matrix = _product(transfer.T.tocsr(), _product(matrix, transfer))
        self.coarsest = _direct(matrix)

    def __call__(self, b: Array) -> Array:
        """x ≈ A⁻¹ b for b (nodes, K): V-cycle, Gauss–Seidel forwards down and backwards up."""
        return self._cycle(0, b)

    def _cycle(self, depth: int, b: Array) -> Array:
        if depth == len(self.levels):
            return self.coarsest(b)
        level = self.levels[depth]
        x, rest = level.matrix.forward(level.inverse, b)
        transfer = level.prolongation
        lanes = (0,) * b.shape[1]
        rows = _unsigned(transfer)
        coarse = np.zeros((transfer.shape[1], b.shape[1]))
        _restrict(lanes, *rows, rest, coarse)
        correction = np.empty_like(b)
        _prolong(lanes, *rows, self._cycle(depth + 1, coarse), correction)
        level.matrix.correct_backward(level.inverse, correction, rest, x)
        return x


def _level(matrix: Any, threshold: float) -> _Level | None:
    """A level and the step below it: P = (I − 4/3 D⁻¹ A) T, T the constants on aggregates; None if
    there are hardly fewer aggregates than nodes.

    pyamg's naive aggregation (a node with all its neighbours) coarsens tets 7-fold: 14 iterations
    of the whole preconditioner at n = 32 and 15 at 64. Its standard aggregation, 27-fold: 24, and
    they grow; Ruge–Stüben: 13 at twice the work. D holds the row sums of |A|, not spectral radii
    as in pyamg's own loop, whose estimates draw random numbers.

    Thin cells are to be coarsened along their short edges alone: neighbours are those of strong
    connections, and A is `_strong`. On the graded prism that takes 15, 16, 17 iterations at n = 4,
    8, 16 instead of 26, 50, 90; on isotropic meshes it would cost 40 % more for the same number.
    """
    from pyamg.aggregation.aggregate import naive_aggregation
    from scipy.sparse import csr_matrix, diags_array

    matrix = csr_matrix(matrix)
    strong = _strong(matrix, threshold) if threshold else matrix
    aggregates = csr_matrix(naive_aggregation(strong)[0], dtype=float)
    if aggregates.shape[1] > STALLED * aggregates.shape[0]:
        return _level(matrix, 0.0) if threshold else None
    row_sums = np.asarray(abs(strong).sum(axis=1)).ravel()
    row_sums[row_sums == 0] = np.inf  # a node without strong connections keeps its constant
    smoothed = aggregates - diags_array(4 / 3 / row_sums) @ _product(strong, aggregates)
    half = Symmetric.of(matrix)
    return _Level(half, 1 / half.diagonal, csr_matrix(smoothed))


def _strong(matrix: Any, threshold: float) -> Any:
    """Entries with |a_ij| > θ (a_ii a_jj)^½ (Vaněk, Mandel, Brezina); the others are added to the
    diagonal."""
    from scipy.sparse import coo_matrix, csr_matrix

    entries = matrix.tocoo()
    scale = np.sqrt(np.abs(matrix.diagonal()))
    weak = np.abs(entries.data) <= threshold * scale[entries.row] * scale[entries.col]
    weak &= entries.row != entries.col
    column = np.where(weak, entries.row, entries.col)
    return csr_matrix(coo_matrix((entries.data, (entries.row, column)), shape=matrix.shape))


def _direct(matrix: Any) -> Callable[[Array], Array]:
    """The inverse of the coarsest matrix; a Neumann matrix is singular, and its constants are left
    alone: by a pseudo-inverse or, for a large matrix, by a shift."""
    if matrix.shape[0] <= MAX_DENSE:
        inverse = np.linalg.pinv(matrix.toarray(), hermitian=True)
        return lambda b: inverse @ b
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    shifted = csc_array(matrix + diags_array(SHIFT * matrix.diagonal()))
    symmetric = {"SymmetricMode": True}
    return splu(shifted, permc_spec="MMD_AT_PLUS_A", options=symmetric).solve


def _product(A: Any, B: Any) -> Any:
    """A B by rows, as scipy's, which counts the entries before it computes them: two passes."""
    from scipy.sparse import csr_matrix

    shape = (A.shape[0], B.shape[1])
    parts = _multiplied(*_unsigned(A), *_unsigned(B), shape[1])
    return csr_matrix(parts, shape=shape)


def _unsigned(A: Any) -> tuple[Any, Any, Array]:
    """Row pointers, columns and values; numba asks of signed indices whether they are negative."""
    return *(i.view(f"u{i.itemsize}") for i in (A.indptr, A.indices)), A.data


@njit(cache=True, nogil=True)
def _multiplied(
    start: Indices, column: Indices, value: Array,
    start_b: Indices, column_b: Indices, value_b: Array, size: int,
) -> tuple[Array, Indices, Indices]:  # fmt: skip
    """Values, columns and row pointers."""
    most, one = 0, np.uint32(1)
    for j in column:
        most += start_b[j + one] - start_b[j]
    columns, values = np.empty(most, np.int32), np.empty(most)
    starts, end = np.zeros(start.size, np.int32), 0
    where = np.full(size, -1)  # where[c] >= begin: place of column c in this row
    for i in range(start.size - 1):
        begin = end
        for k in range(start[i], start[i + 1]):
            j = column[k]
            for m in range(start_b[j], start_b[j + one]):
                c, term = column_b[m], value[k] * value_b[m]
                if where[c] < begin:
                    where[c] = end
                    columns[end], values[end] = c, term
                    end += 1
                else:
                    values[where[c]] += term
        starts[i + 1] = end
    return values[:end], columns[:end], starts


@njit(cache=True, nogil=True)
def _restrict(
    lanes: Any, start: Indices, column: Indices, value: Array, fine: Array, coarse: Array
) -> None:
    """coarse ← coarse + Pᵀ fine; for `lanes` see `fem.solvers.symmetric_block_kernels`."""
    for i in range(fine.shape[0]):
        for k in range(start[i], start[i + 1]):
            for c in range(len(lanes)):
                coarse[column[k], c] += value[k] * fine[i, c]


@njit(cache=True, nogil=True)
def _prolong(
    lanes: Any, start: Indices, column: Indices, value: Array, coarse: Array, fine: Array
) -> None:
    """fine ← P coarse."""
    for i in range(fine.shape[0]):
        for c in range(len(lanes)):
            fine[i, c] = 0.0
        for k in range(start[i], start[i + 1]):
            for c in range(len(lanes)):
                fine[i, c] += value[k] * coarse[column[k], c]
