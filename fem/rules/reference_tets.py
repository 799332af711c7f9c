"""Points and weights on the reference tetrahedron: plain, or collapsed onto vertices of it."""

from __future__ import annotations

from functools import cache

import numpy as np

from fem.rules.quadrature import gauss, jacobi, tetrahedron
from fem.spaces import Array

TET_VERTICES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


@cache
def collapsed_tet(q: int, onto: tuple[int, ...]) -> tuple[Array, Array]:
    """A q³-point rule on the reference tet, collapsed with s = σ² onto the vertices `onto`.

    With a on the simplex `onto` and b on the opposite one, x = (1 − s) a + s b. Without `onto`
    it is the plain rule, exact for polynomials of degree 2q − 1.
    """
    if not onto:
        plain = tetrahedron(2 * q - 1)
        return plain.points, plain.weights
    far = tuple(v for v in range(4) if v not in onto)
    sigma, w_sigma = gauss(q)
    s = sigma**2
    ws = w_sigma * 2 * sigma * s ** (len(far) - 1) * (1 - s) ** (len(onto) - 1)
    bary_near, w_near = _simplex(q, len(onto))
    bary_far, w_far = _simplex(q, len(far))
    bary = np.zeros((4, q, w_near.size, w_far.size))
    bary[list(onto)] = (1 - s)[:, None, None] * bary_near[:, None, :, None]
    bary[list(far)] = s[:, None, None] * bary_far[:, None, None, :]
    weights = ws[:, None, None] * w_near[:, None] * w_far
    return TET_VERTICES.T @ bary.reshape(4, -1), weights.ravel()


@cache
def four_points() -> tuple[Array, Array]:
    """The symmetric rule of four equal weights on the tet, exact to degree 2 (Stroud T3:2-1)."""
    near, far = (5 + 3 * 5**0.5) / 20, (5 - 5**0.5) / 20
    return far + (near - far) * TET_VERTICES.T, np.full(4, 1 / 24)


@cache
def fourteen_points() -> tuple[Array, Array]:
    """A symmetric rule on the tet, exact to degree 5 (Walkington, 2000)."""
    orbits = (
        (0.0927352503108912, 0.01224884051939366),
        (0.3108859192633006, 0.01878132095300264),
    )
    points = [a + (1 - 4 * a) * TET_VERTICES for a, _ in orbits]
    weights = [np.full(4, w) for _, w in orbits]
    far, near = 0.0455037041256496, 0.4544962958743504
    pairs = [TET_VERTICES[i] + TET_VERTICES[j] for i in range(4) for j in range(i)]
    points.append(far + (near - far) * np.array(pairs))
    weights.append(np.full(6, 0.007091003462846911))
    return np.concatenate(points).T, np.concatenate(weights)


def _simplex(q: int, vertices: int) -> tuple[Array, Array]:
    """Barycentric points (vertices, Q) and weights on a point, a segment or a triangle."""
    if vertices == 1:
        return np.ones((1, 1)), np.ones(1)
    x, w = gauss(q)
    if vertices == 2:
        return np.stack([1 - x, x]), w
    s, wr = jacobi(q, 1)
    r = 1 - s
    bary = np.stack([np.repeat(s, q), np.outer(r, 1 - x).ravel(), np.outer(r, x).ravel()])
    return bary, np.outer(wr, w).ravel()
