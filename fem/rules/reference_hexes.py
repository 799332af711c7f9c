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

    Collapsed with s = σ².
    """
    from skfem.refdom import RefHex

    if len(onto) != 2:
        raise ValueError(f"a singular edge meets a hexahedron in one edge, got vertices {onto}")
    start, end = RefHex.p[:, list(onto)].T
    along = int(np.flatnonzero(start != end)[0])
    return collapsed_hex(q, (start[(along + 1) % 3], start[(along + 2) % 3]), along, power=2)


def collapsed_hex(
    q: int, corner: tuple[float, float], along: int, power: int
) -> tuple[Array, Array]:
    """Gauss collapsed onto the edge of the unit cube along an axis, at a `corner` of the square of
    the next two axes: cut in two triangles there, with s = σ^power."""
    x, w = gauss(q)
    s, side, z = (g.ravel() for g in np.meshgrid(x**power, x, x, indexing="ij"))
    jacobian = w * power * x ** (2 * power - 1)  # s ds
    weight = np.einsum("i,j,k->ijk", jacobian, w, w).ravel()
    points = np.empty((3, 2, s.size))
    points[along] = z
    points[(along + 1) % 3] = abs(corner[0] - np.stack([s, s * side]))
    points[(along + 2) % 3] = abs(corner[1] - np.stack([s * side, s]))
    return points.reshape(3, -1), np.tile(weight, 2)
