"""A field's values on a lattice shared by the cubes of a block, and the error from them.

The lattice of degree m is stored as its m³ sublattices of spacing h, each an array over the
vertices of the block: so the values that one point of the rule takes in a line of cubes lie side
by side, and nothing is gathered.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem.solvers.stencil_kernels import compiled, inlined
from fem.spaces import Array

LENGTH = 128  # cubes a line of the error is long: a few lines of the block together


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
    together = max(1, LENGTH // nk)
    difference, mixed = np.empty((nodes.size, together * nk)), np.empty(together * nk)
    local, total = np.empty((edges.size, together * nk)), 0.0
    for i in range(ni):
        for start in range(0, nj, together):
            lines = min(together, nj - start)
            for e in range(edges.size):
                for j in range(lines):
                    _copy(local[e, j * nk :], x[edges[e], i, start + j])
            for c in range(3):
                for q in range(nodes.size):
                    at = lattice.starts[nodes[q]] + i * lattice.strides[0]
                    for j in range(lines):
                        here = at + (start + j) * lattice.strides[1]
                        values = lattice.values[first + c, here : here + nk]
                        _copy(difference[q, j * nk :], values)
                    _subtract(difference[q, : lines * nk], local, 0, basis[c, q], edges.size)
                for q in range(nodes.size):
                    if mix.shape[1] == 1:
                        total += mix[q, 0] ** 2 * _square(difference[q, : lines * nk])
                    else:
                        line = mixed[: lines * nk]
                        line[:] = 0
                        _subtract(line, difference, q, mix[q], nodes.size - q)
                        total += _square(line)
    return total


@inlined
def _copy(line: Any, values: Any) -> None:
    for k in range(values.size):
        line[k] = values[k]


@inlined
def _subtract(line: Any, rows: Any, q: int, factors: Any, count: int) -> None:
    """line ← line − Σ_w factors[w] rows[q + w], four terms at a time."""
    for w in range(0, count - 3, 4):
        a0, a1, a2, a3 = factors[w], factors[w + 1], factors[w + 2], factors[w + 3]
        r0, r1, r2, r3 = rows[q + w], rows[q + w + 1], rows[q + w + 2], rows[q + w + 3]
        for k in range(line.size):
            line[k] -= a0 * r0[k] + a1 * r1[k] + a2 * r2[k] + a3 * r3[k]
    for w in range(count - count % 4, count):
        a, r = factors[w], rows[q + w]
        for k in range(line.size):
            line[k] -= a * r[k]


@inlined
def _square(line: Any) -> float:
    total = 0.0
    for k in range(line.size):
        total += line[k] * line[k]
    return total
