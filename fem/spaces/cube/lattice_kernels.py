"""Compiled load and error over a block of cubes, from a field's values on a shared lattice.

The lattice of degree m is stored as its m³ sublattices of spacing h, each an array over the
vertices of the block: so the values that one point of the rule takes in a line of cubes lie side
by side, and nothing is gathered. Point p of cube (i, j, k) is values[:, starts[p] + i·s + j·t + k].
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.spaces import Array

UNROLL = 4
compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})


class Lattice(NamedTuple):
    """Values (components, ·) of fields on the lattice of a block, and where the points are."""

    values: Array
    starts: NDArray[np.int64]  # (P,)
    strides: tuple[int, int]


class LoadTerms(NamedTuple):
    """The nonzero entries of a load matrix by edge, filled up with zeros to multiples of UNROLL."""

    counts: NDArray[np.int64]  # (edges,)
    components: NDArray[np.int64]  # (edges, T)
    points: NDArray[np.int64]  # (edges, T)
    coefficients: Array  # (edges, T)


def arrange(values: Array, m: int, shape: tuple[int, ...]) -> Lattice:
    """Values (components, m·shape + 1) on the lattice of degree m, by sublattice."""
    vertices = tuple(s + 1 for s in shape)
    sub = np.zeros((len(values), m, m, m, *vertices))
    for a, b, c in product(range(m), repeat=3):
        part = values[:, a::m, b::m, c::m]
        sub[:, a, b, c, : part.shape[1], : part.shape[2], : part.shape[3]] = part
    points = np.array(list(product(range(m + 1), repeat=3)))
    layout = (m, m, m, *vertices)
    starts = np.ravel_multi_index((*(points % m).T, *(points // m).T), layout)
    strides = (vertices[1] * vertices[2], vertices[2])
    return Lattice(sub.reshape(len(values), -1), starts, strides)


def load_terms(matrix: Array) -> LoadTerms:
    """From a load matrix (edges, components, P)."""
    rows = [np.argwhere(row) for row in matrix]
    counts = np.array([-(-len(row) // UNROLL) * UNROLL for row in rows])
    shape = (len(rows), counts.max())
    terms = LoadTerms(counts, np.zeros(shape, int), np.zeros(shape, int), np.zeros(shape))
    for edge, row in enumerate(rows):
        terms.components[edge, : len(row)], terms.points[edge, : len(row)] = row.T
        terms.coefficients[edge, : len(row)] = matrix[edge][tuple(row.T)]
    return terms


@compiled
def add_load(local: Any, lattice: Any, terms: Any) -> None:
    """local[e, i, j, :] += Σ_t coefficient · value, for local (edges, ni, nj, nk)."""
    edges, ni, nj, nk = local.shape
    for i in range(ni):
        for j in range(nj):
            shift = i * lattice.strides[0] + j * lattice.strides[1]
            for e in range(edges):
                line, a = local[e, i, j], terms.coefficients[e]
                for t in range(0, terms.counts[e], 4):
                    v0 = _line(lattice, terms, e, t, shift, nk)
                    v1 = _line(lattice, terms, e, t + 1, shift, nk)
                    v2 = _line(lattice, terms, e, t + 2, shift, nk)
                    v3 = _line(lattice, terms, e, t + 3, shift, nk)
                    a0, a1, a2, a3 = a[t], a[t + 1], a[t + 2], a[t + 3]
                    for k in range(nk):
                        line[k] += a0 * v0[k] + a1 * v1[k] + a2 * v2[k] + a3 * v3[k]


@compiled
def _line(lattice: Any, terms: Any, e: int, t: int, shift: int, nk: int) -> Any:
    start = lattice.starts[terms.points[e, t]] + shift
    return lattice.values[terms.components[e, t], start : start + nk]


@compiled
def squared_distance(
    lattice: Any, first: int, x: Any, edges: Any, nodes: Any, basis: Any, mix: Any
) -> float:
    """Σ_cubes |mix (g − Σ_e basis[:, :, e] x[edges[e]])|², g the components first + (0, 1, 2) at
    the nodes of a piece; mix is upper triangular, x (edges, ni, nj, nk)."""
    _, ni, nj, nk = x.shape
    difference, mixed = np.empty((nodes.size, nk)), np.empty(nk)
    total = 0.0
    for i in range(ni):
        for j in range(nj):
            shift = i * lattice.strides[0] + j * lattice.strides[1]
            for c in range(3):
                for q in range(nodes.size):
                    start = lattice.starts[nodes[q]] + shift
                    difference[q] = lattice.values[first + c, start : start + nk]
                    for e in range(edges.size):
                        if basis[c, q, e] != 0:
                            _subtract(difference[q], basis[c, q, e], x[edges[e], i, j])
                for q in range(nodes.size):
                    mixed[:] = 0
                    for p in range(q, nodes.size):
                        _subtract(mixed, mix[q, p], difference[p])
                    for k in range(nk):
                        total += mixed[k] * mixed[k]
    return total


@compiled
def _subtract(line: Any, factor: float, other: Any) -> None:
    for k in range(line.size):
        line[k] -= factor * other[k]
