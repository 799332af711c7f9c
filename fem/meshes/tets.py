"""A tetrahedral mesh as arrays: edges, their cells, gradients of the barycentric coordinates.

The vertices of every cell are sorted, so that each local edge (a, b), a < b, runs from the lower
to the higher vertex number: no signs are needed anywhere. Edges are numbered as scikit-fem does
(lexicographically), so coefficients may be exchanged with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from base.errors import UserError
from fem.meshes import kuhn
from fem.spaces import Array

Ints = NDArray[np.int32]
LOCAL_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@dataclass(frozen=True, eq=False)
class Tets:
    """Points p (3, nodes) and cells t (cells, 4), rows sorted."""

    p: Array
    t: Ints

    @classmethod
    def of(cls, mesh: Any) -> Tets:
        """Return the arrays of a scikit-fem mesh; its cells keep their numbers."""
        return cls(np.ascontiguousarray(mesh.p), np.sort(mesh.t.T.astype(np.int32), axis=1))

    @classmethod
    def kuhn(cls, n: int) -> Tets:
        """The unit cube, n cells per side."""
        return cls(*kuhn(n))

    @cached_property
    def _edge_tables(self) -> tuple[Ints, Ints]:
        return _number_edges(self.t, self.p.shape[1])

    # Vertices (edges, 2) of every edge, the lower number first.
    edges = property(lambda self: self._edge_tables[0])
    # Edges (cells, 6) of every cell, in the order of LOCAL_EDGES.
    cell_edges = property(lambda self: self._edge_tables[1])

    @cached_property
    def edge_cells(self) -> tuple[NDArray[np.int64], Ints]:
        """Cells around every edge: pointers (edges + 1,) into 6·cell + local edge."""
        return _invert(self.cell_edges, len(self.edges))

    @cached_property
    def _geometry(self) -> tuple[Array, Array]:
        return _geometry(self.p, self.t)

    gradients = property(lambda self: self._geometry[0])  # ∇λ_a, (cells, 4, 3)
    volumes = property(lambda self: self._geometry[1])

    def cell_average(self, weight: Any, degree: int = 4) -> Array:
        """Means (cells,) of a scalar (3, ...) -> (...), a number, or means that are given."""
        if not callable(weight):
            return np.ascontiguousarray(np.broadcast_to(np.asarray(weight, float), len(self.t)))
        from fem.rules.quadrature import tetrahedron

        rule = tetrahedron(degree)
        barycentric = np.vstack([1 - rule.points.sum(axis=0), rule.points])
        values = weight(np.einsum("dca,aq->dcq", self.p[:, self.t], barycentric))
        if values.shape != (len(self.t), len(rule)) or not np.isfinite(values).all():
            raise UserError("a weight must map points (3, ...) to finite numbers (...)")
        return values @ rule.weights * 6


@njit(cache=True, nogil=True)
def _number_edges(t: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Edges in lexicographic order: each node keeps a sorted list of its higher neighbours."""
    cells = t.shape[0]
    start = np.zeros(nodes + 1, np.int64)
    for c in range(cells):
        for a in range(3):
            start[t[c, a] + 1] += 3 - a
    start = np.cumsum(start)
    neighbours = np.empty(start[nodes], np.int32)
    length = np.zeros(nodes, np.int32)
    for c in range(cells):
        for a in range(3):
            low = t[c, a]
            for b in range(a + 1, 4):
                length[low] = _insert(neighbours, start[low], length[low], t[c, b])
    first = np.zeros(nodes + 1, np.int64)
    first[1:] = np.cumsum(length)
    edges = np.empty((first[nodes], 2), np.int32)
    for low in range(nodes):
        for k in range(length[low]):
            edges[first[low] + k, 0] = low
            edges[first[low] + k, 1] = neighbours[start[low] + k]
    cell_edges = np.empty((cells, 6), np.int32)
    for c in range(cells):
        local = 0
        for a in range(3):
            low = t[c, a]
            row = neighbours[start[low] : start[low] + length[low]]
            for b in range(a + 1, 4):
                cell_edges[c, local] = first[low] + np.searchsorted(row, t[c, b])
                local += 1
    return edges, cell_edges


@njit(cache=True, nogil=True)
def _insert(values: Ints, start: int, length: int, value: int) -> int:
    """Insert a value once into the sorted values[start : start + length]; return the length."""
    k = start + length
    while k > start and values[k - 1] > value:
        k -= 1
    if k > start and values[k - 1] == value:
        return length
    for m in range(start + length, k, -1):
        values[m] = values[m - 1]
    values[k] = value
    return length + 1


@njit(cache=True, nogil=True)
def _invert(cell_edges: Ints, edges: int) -> tuple[NDArray[np.int64], Ints]:
    """For every edge the slots (6·cell + local edge) where it occurs."""
    slots = cell_edges.ravel()
    start = np.zeros(edges + 1, np.int64)
    for e in slots:
        start[e + 1] += 1
    start = np.cumsum(start)
    fill = start[:-1].copy()
    where = np.empty(slots.size, np.int32)
    for slot in range(slots.size):
        e = slots[slot]
        where[fill[e]] = slot
        fill[e] += 1
    return start, where


@njit(cache=True, nogil=True)
def _geometry(p: Array, t: Ints) -> tuple[Array, Array]:
    """∇λ_a is normal to the face opposite a: a cross product of two edges over 6 |T|."""
    cells = t.shape[0]
    gradients = np.empty((cells, 4, 3))
    volumes = np.empty(cells)
    e = np.empty((3, 3))
    for c in range(cells):
        for k in range(3):
            for d in range(3):
                e[k, d] = p[d, t[c, k + 1]] - p[d, t[c, 0]]
        g = gradients[c]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            g[k + 1, 0] = e[i, 1] * e[j, 2] - e[i, 2] * e[j, 1]
            g[k + 1, 1] = e[i, 2] * e[j, 0] - e[i, 0] * e[j, 2]
            g[k + 1, 2] = e[i, 0] * e[j, 1] - e[i, 1] * e[j, 0]
        det = e[0, 0] * g[1, 0] + e[0, 1] * g[1, 1] + e[0, 2] * g[1, 2]
        for d in range(3):
            for k in range(1, 4):
                g[k, d] /= det
            g[0, d] = -(g[1, d] + g[2, d] + g[3, d])
        volumes[c] = abs(det) / 6
    return gradients, volumes
