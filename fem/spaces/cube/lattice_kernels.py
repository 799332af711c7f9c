"""A field's values on a lattice shared by the cubes of a block, and the error from them.

The lattice of degree m is stored as its m³ sublattices of spacing h, each an array over the
vertices of the block: so the values that one point of the rule takes in a line of cubes lie side
by side, and nothing is gathered.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.spaces import Array

compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})


class Lattice(NamedTuple):
    """Values of fields at the points of the cubes of a block: in cube (i, j, k) at point p they are
    values[:, starts[p] + i·strides[0] + j·strides[1] + k]."""

    values: Array  # (components, ·)
    starts: NDArray[np.int64]  # (P,)
    strides: tuple[int, int]


def lattice_points(m: int, lo: tuple[int, ...], hi: tuple[int, ...]) -> Array:
    """The lattice /m of the cubes lo ≤ (i, j, k) < hi, (3, m, m, m, *vertices), in units of h.

    The last vertex has no points beyond it: there the end of the block is repeated, never used.
    """
    shifts = np.arange(m)[:, None]
    axes = [np.minimum(np.arange(a, b + 1) + shifts / m, b) for a, b in zip(lo, hi, strict=True)]
    points = np.empty((3, m, m, m, *(axis.shape[1] for axis in axes)))
    points[0] = axes[0][:, None, None, :, None, None]
    points[1] = axes[1][:, None, None, :, None]
    points[2] = axes[2][:, None, None, :]
    return points


def arranged(values: Array) -> Lattice:
    """Values (components, m, m, m, *vertices) at such points."""
    m, vertices = values.shape[1], values.shape[4:]
    points = np.array(list(product(range(m + 1), repeat=3)))
    starts = np.ravel_multi_index((*(points % m).T, *(points // m).T), values.shape[1:])
    strides = (vertices[1] * vertices[2], vertices[2])
    return Lattice(values.reshape(len(values), -1), starts, strides)


@compiled
def squared_distance(
    lattice: Any, first: int, x: Any, edges: Any, nodes: Any, basis: Any, mix: Any
) -> float:
    """Σ_cubes |mix (g − Σ_e basis[:, :, e] x[edges[e]])|², g the components first + (0, 1, 2) at
    the nodes of a piece, x (edges, ni, nj, nk)."""
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
                    for w in range(min(mix.shape[1], nodes.size - q)):
                        _subtract(mixed, mix[q, w], difference[q + w])
                    for k in range(nk):
                        total += mixed[k] * mixed[k]
    return total


@compiled
def _subtract(line: Any, factor: float, other: Any) -> None:
    for k in range(line.size):
        line[k] -= factor * other[k]
