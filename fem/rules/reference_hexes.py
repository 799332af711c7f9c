"""Points and weights on the reference hexahedron: plain, or collapsed onto an edge of it."""

from __future__ import annotations

from functools import cache

import numpy as np

from fem.rules.quadrature import cube, gauss
from fem.spaces import Array


@cache
def tensor_hex(q: int) -> tuple[Array, Array]:
    """Gauss with q³ points on the unit cube, exact to degree 2q − 1 in each variable."""
    rule = cube(q)
    return rule.points, rule.weights


@cache
def hex_at_edge(q: int, onto: tuple[int, ...]) -> tuple[Array, Array]:
    """A rule on the unit cube for an integrand singular like √R at the edge `onto`.

    The square across the edge is cut in two triangles there, each collapsed with s = σ².
    """
    from skfem.refdom import RefHex

    if len(onto) != 2:
        raise ValueError(f"a singular edge meets a hexahedron in one edge, got vertices {onto}")
    start, end = RefHex.p[:, list(onto)].T
    along = int(np.flatnonzero(start != end)[0])
    first, second = (along + 1) % 3, (along + 2) % 3
    x, w = gauss(q)
    s, side, z = (g.ravel() for g in np.meshgrid(x**2, x, x, indexing="ij"))
    weight = np.einsum("i,j,k->ijk", 2 * w * x**3, w, w).ravel()  # s ds = 2 σ³ dσ
    points = np.empty((3, 2, s.size))
    points[along] = z
    points[first] = abs(start[first] - np.stack([s, s * side]))
    points[second] = abs(start[second] - np.stack([s * side, s]))
    return points.reshape(3, -1), np.tile(weight, 2)
