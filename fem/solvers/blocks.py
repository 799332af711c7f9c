"""Block Gauss–Seidel for edge elements on thin cells.

Where cells are thin (graded towards an edge), neither a nodal field nor one edge at a time resolves
what varies over the short edges alone, and Hiptmair–Xu with point Gauss–Seidel takes 35, 85, 219
iterations on the L-shaped prism (β = 2.5, n = 4, 8, 16 per unit length), also with exact auxiliary
solves. Here nodes that short edges join form a cluster, and edges with the same pair of clusters
at their ends form a block that is solved exactly: 15, 16, 17. On isotropic meshes every cluster is
a node and every block an edge: that is plain Gauss–Seidel, and nothing here is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.meshes.tets import Ints, Tets
from fem.solvers.symmetric import Symmetric
from fem.spaces import Array

SHORT = 0.25  # of the longest edge of a neighbouring cell; Kuhn cells have 0.58, 0.35 takes as many
MAX_BLOCK = 1500  # edges: above, shorter edges alone count as short, so that factors stay small
Pointers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BlockSmoother:
    """Forward and backward sweeps over blocks, as `Symmetric` offers them over single dofs."""

    start: Pointers  # of the rows of A
    column: Ints
    value: Array
    block_start: Pointers
    members: Ints  # free dofs, block by block
    factor_start: Pointers
    factors: Array  # inverses of the diagonal blocks, one after the other

    @classmethod
    def build(
        cls, matrix: Symmetric, tets: Tets, fixed: NDArray[np.bool_] | None = None
    ) -> BlockSmoother | None:
        """None where no cell is thin."""
        block = block_of_edges(tets)
        if block is None:
            return None
        free = np.arange(len(block)) if fixed is None else np.flatnonzero(~fixed)
        order = free[np.argsort(block[free], kind="stable")].astype(np.int32)
        cuts = np.flatnonzero(np.diff(block[order])) + 1
        block_start = np.concatenate([[0], cuts, [len(order)]])
        sizes = np.diff(block_start)
        factor_start = np.concatenate([[0], np.cumsum(sizes**2)])
        rows = _whole(matrix)
        factors = np.empty(int(factor_start[-1]))
        place = np.full(len(block), -1, np.int64)
        _fill_blocks(
            rows.indptr, rows.indices, rows.data, block_start, order, factor_start, factors, place
        )
        _invert_blocks(block_start, factor_start, factors)
        return cls(
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            block_start,
            order,
            factor_start,
            factors,
        )

    def forward(self, r: Array) -> tuple[Array, Array]:
        """x of one sweep from zero, and its residual."""
        x, rest = np.zeros_like(r), r.copy()
        self._sweep(rest, x, False)
        return x, rest

    def backward(self, rest: Array, x: Array) -> None:
        """x improved by the sweep in reverse order; the residual is used up."""
        self._sweep(rest, x, True)

    def _sweep(self, rest: Array, x: Array, reverse: bool) -> None:
        _sweep_blocks(
            self.start, self.column, self.value, self.block_start, self.members,
            self.factor_start, self.factors, rest, x, reverse,
        )  # fmt: skip


def has_thin_cells(tets: Tets) -> bool:
    return bool((_relative_lengths(tets) < SHORT).any())


def block_of_edges(tets: Tets) -> NDArray[np.int64] | None:
    """The number of the block of each edge, or None where no edge is short."""
    relative, short = _relative_lengths(tets), SHORT
    if not (relative < short).any():
        return None
    while True:
        block = _pairs_of_clusters(tets, relative < short)
        if np.bincount(block).max() <= MAX_BLOCK:
            return block
        short /= 1.5


def _relative_lengths(tets: Tets) -> Array:
    """Of every edge, over the longest edge of the cells around it."""
    ends = tets.p.T[tets.edges]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    longest = np.zeros_like(length)
    in_cell = length[tets.cell_edges].max(axis=1)
    for local in range(6):
        np.maximum.at(longest, tets.cell_edges[:, local], in_cell)
    return np.asarray(length / longest)


def _pairs_of_clusters(tets: Tets, strong: NDArray[np.bool_]) -> NDArray[np.int64]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = tets.p.shape[1]
    a, b = tets.edges[strong].T
    count, cluster = connected_components(
        coo_array((np.ones(len(a)), (a, b)), shape=(nodes, nodes)), directed=False
    )
    low, high = np.sort(cluster[tets.edges].astype(np.int64), axis=1).T
    return np.unique(low * count + high, return_inverse=True)[1].ravel()


def _whole(matrix: Symmetric) -> Any:
    """L + D + Lᵀ by rows."""
    from scipy.sparse import csr_array, diags_array

    size = matrix.diagonal.size
    lower = csr_array((matrix.value, matrix.column, matrix.start), shape=(size, size))
    return csr_array(lower + lower.T + diags_array(matrix.diagonal))


@njit(cache=True, nogil=True)
def _fill_blocks(
    start: Pointers,
    column: Ints,
    value: Array,
    block_start: Pointers,
    members: Ints,
    factor_start: Pointers,
    factors: Array,
    place: Pointers,
) -> None:
    """The diagonal blocks of A, dense, by rows; `place` is scratch, −1 on entry and on exit."""
    for b in range(block_start.size - 1):
        first, last = block_start[b], block_start[b + 1]
        size = last - first
        for k in range(size):
            place[members[first + k]] = k
        here = factors[factor_start[b] : factor_start[b + 1]]
        here[:] = 0.0
        for k in range(size):
            row = members[first + k]
            for j in range(start[row], start[row + 1]):
                if place[column[j]] >= 0:
                    here[k * size + place[column[j]]] = value[j]
        for k in range(size):
            place[members[first + k]] = -1


def _invert_blocks(block_start: Pointers, factor_start: Pointers, factors: Array) -> None:
    """In place; blocks of one size together."""
    sizes = np.diff(block_start)
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        for part in np.array_split(which, max(1, int(len(which) * size**2) >> 24)):
            index = factor_start[part][:, None] + np.arange(size**2)
            inverse = np.linalg.inv(factors[index].reshape(-1, size, size))
            inverse += np.swapaxes(inverse, 1, 2)
            factors[index] = inverse.reshape(len(part), -1) / 2


@njit(cache=True, nogil=True)
def _sweep_blocks(
    start: Pointers,
    column: Ints,
    value: Array,
    block_start: Pointers,
    members: Ints,
    factor_start: Pointers,
    factors: Array,
    rest: Array,
    x: Array,
    reverse: bool,
) -> None:
    blocks = block_start.size - 1
    for step in range(blocks):
        b = blocks - 1 - step if reverse else step
        first = block_start[b]
        size = block_start[b + 1] - first
        inverse = factors[factor_start[b] : factor_start[b + 1]]
        change = np.zeros(size)
        for k in range(size):
            total = 0.0
            for m in range(size):
                total += inverse[k * size + m] * rest[members[first + m]]
            change[k] = total
        for k in range(size):
            row = members[first + k]
            x[row] += change[k]
            for j in range(start[row], start[row + 1]):
                rest[column[j]] -= value[j] * change[k]
