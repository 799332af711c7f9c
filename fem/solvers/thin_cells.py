"""Clusters of nodes that short edges join, and the blocks of edges between them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.meshes.tets import Ints, Tets
from fem.spaces import Array

SHORT = 0.25  # of the longest edge of a neighbouring cell; Kuhn cells have 0.58, 0.35 takes as many
# Edges: above, shorter edges alone count as short, so that factors stay small: below 1 GB for 2.4
# million edges (prism, β = 3, n = 48).
MAX_BLOCK = 1100


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
        short /= 1.2


def _relative_lengths(tets: Tets) -> Array:
    """The length of every edge over the longest edge of the cells around it."""
    squares, longest = _squared_lengths(tets.p, tets.edges, tets.cell_edges)
    return np.asarray(np.sqrt(squares / longest))


@njit(cache=True, nogil=True)
def _squared_lengths(p: Array, edges: Ints, cell_edges: Ints) -> tuple[Array, Array]:
    """Of every edge, and of the longest edge of the cells around it."""
    squares = np.zeros(len(edges))
    for e in range(len(edges)):
        for d in range(3):
            squares[e] += (p[d, edges[e, 1]] - p[d, edges[e, 0]]) ** 2
    longest = np.zeros(len(edges))
    for c in range(len(cell_edges)):
        most = 0.0
        for e in cell_edges[c]:
            most = max(most, squares[e])
        for e in cell_edges[c]:
            longest[e] = max(longest[e], most)
    return squares, longest


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
