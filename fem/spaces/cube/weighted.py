"""(φ curl u, curl v) on the Kuhn tetrahedra of the uniform cube, matrix-free.

On the tetrahedron along the path 0, e_p, e_p + e_q, (1, 1, 1), with dofs x_ab on its six edges,
curl u_h is constant: ±2/h² times

    c₁ = x₁₂ + x₂₃ − x₁₃,   c₂ = x₁₂ − x₀₂ − x₁₃ + x₀₃,   c₃ = x₀₁ + x₁₂ − x₀₂

along e_p, e_q, e_r (the circulations around three of its faces), so that its energy is
(2/3h) φ̄ (c₁² + c₂² + c₃²) with φ̄ the mean of φ over it: three multiplications, and no matrix.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem.solvers.stencil import Layout, layout
from fem.solvers.stencil_kernels import compiled
from fem.spaces import Array
from fem.spaces.cube.cells import DIRECTIONS, KUHN, TET_CLASSES, Index, size, split
from fem.spaces.cube.integrals import at_points, blocks, whole
from fem.spaces.cube.rules import gauss_rule


class Paths(NamedTuple):
    """Per tetrahedron the class and the offset of its edges 01, 02, 03, 12, 13, 23."""

    classes: Index  # (6, 6)
    offsets: Index  # (6, 6, 3)


@cache
def paths() -> Paths:
    edges = [[KUHN.edges[e] for e in piece.edges] for piece in KUHN.pieces]
    return Paths(
        np.array([[c for c, _ in tet] for tet in edges]),
        np.array([[offset for _, offset in tet] for tet in edges]),
    )


class WeightedCurlCurl:
    """x ↦ (φ curl u, curl v) over the edges inside the cube; `x` may have values on its faces."""

    def __init__(self, n: int, phi: Any) -> None:
        self._n, self._at = n, layout(n, TET_CLASSES)
        self._means = cell_means(phi, n) * (2 * n / 3)

    def __call__(self, x: Array) -> Array:
        out = np.zeros_like(x)
        _multiply(out, x, self._at, paths(), self._means, self._n)
        return hold_zero(out, self._n)

    def diagonal(self) -> Array:
        """1 on the faces of the cube, where nothing is solved for."""
        out = np.zeros(size(self._n, TET_CLASSES))
        parts = split(out, self._n, TET_CLASSES)
        counts = (1, 2, 1, 3, 2, 1)  # how often x_ab appears in c₁, c₂, c₃
        for tet, (classes, offsets) in enumerate(zip(*paths(), strict=True)):
            for c, offset, count in zip(classes, offsets, counts, strict=True):
                window = tuple(slice(o, o + self._n) for o in offset)
                parts[c][window] += count * self._means[tet]
        hold_zero(out, self._n)
        return np.where(out > 0.0, out, 1.0)


def hold_zero(x: NDArray[Any], n: int) -> NDArray[Any]:
    """Set the dofs on the faces of the cube to zero, in place."""
    for d, part in zip(DIRECTIONS, split(x, n, TET_CLASSES), strict=True):
        for axis in np.flatnonzero(d == 0):
            np.moveaxis(part, axis, 0)[[0, n]] = 0.0
    return x


def cell_means(phi: Any, n: int) -> Array:
    """The mean of φ over every tetrahedron, (6, n, n, n); exact to degree 5, 3 from n = 16."""
    rule = gauss_rule(KUHN, 3 if n < 16 else 2)
    means = np.empty((len(rule.pieces), n, n, n))
    for block in blocks(whole(n, rule)):
        values = at_points((lambda x: phi(x)[None],), block, n)[0]
        where = block.window((0, 0, 0))
        for tet, piece in enumerate(rule.pieces):
            mean = (6 * piece.mix[:, 0] ** 2) @ values[piece.nodes]
            means[tet][where] = mean.reshape(block.shape)
    return means


@compiled
def _multiply(out: Any, x: Any, at: Layout, paths: Any, means: Any, n: int) -> None:
    """A line of cubes at a time: the three circulations, then their six sums."""
    t1, t2, t3 = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        for j in range(n):
            for tet in range(means.shape[0]):
                x01, x02, x03 = (
                    _line(x, at, paths, tet, 0, i, j, n),
                    _line(x, at, paths, tet, 1, i, j, n),
                    _line(x, at, paths, tet, 2, i, j, n),
                )
                x12, x13, x23 = (
                    _line(x, at, paths, tet, 3, i, j, n),
                    _line(x, at, paths, tet, 4, i, j, n),
                    _line(x, at, paths, tet, 5, i, j, n),
                )
                weight = means[tet, i, j]
                for k in range(n):
                    t1[k] = weight[k] * (x12[k] + x23[k] - x13[k])
                    t2[k] = weight[k] * (x12[k] - x02[k] - x13[k] + x03[k])
                    t3[k] = weight[k] * (x01[k] + x12[k] - x02[k])
                y01 = _line(out, at, paths, tet, 0, i, j, n)
                for k in range(n):
                    y01[k] += t3[k]
                y02 = _line(out, at, paths, tet, 1, i, j, n)
                for k in range(n):
                    y02[k] -= t2[k] + t3[k]
                y03 = _line(out, at, paths, tet, 2, i, j, n)
                for k in range(n):
                    y03[k] += t2[k]
                y12 = _line(out, at, paths, tet, 3, i, j, n)
                for k in range(n):
                    y12[k] += t1[k] + t2[k] + t3[k]
                y13 = _line(out, at, paths, tet, 4, i, j, n)
                for k in range(n):
                    y13[k] -= t1[k] + t2[k]
                y23 = _line(out, at, paths, tet, 5, i, j, n)
                for k in range(n):
                    y23[k] += t1[k]


@compiled
def _line(x: Any, at: Layout, paths: Any, tet: int, edge: int, i: int, j: int, n: int) -> Any:
    """The values of one edge of a tetrahedron along the line (i, j, ·) of cubes."""
    c, offset = paths.classes[tet, edge], paths.offsets[tet, edge]
    shape = at.shapes[c]
    first = at.starts[c] + ((i + offset[0]) * shape[1] + j + offset[1]) * shape[2] + offset[2]
    return x[first : first + n]
