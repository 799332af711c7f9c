"""Lower bounds of the first Laplace eigenvalues on a union of unit squares (maths 12.4).

Crouzeix–Raviart elements on right triangles with legs a: λ ≥ λ_h/(1 + ε² λ_h),
ε² = a² (1/π² + 1/36). The constant follows from the Poincaré inequality of such a triangle, which
is known exactly, and from the mean value zero on its edges; no reference is needed for it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

from fem.spaces import Array

INTERPOLATION = 1 / np.pi**2 + 1 / 36  # ε² for legs of length 1
ROUNDING = 1e-8  # subtracted, relative: far more than the eigenvalue solver's error


def lower_bound(value: float, legs: float, interpolation: float = INTERPOLATION) -> float:
    """A lower bound of the exact eigenvalue from that of the elements."""
    return value / (1 + interpolation * legs**2 * value) * (1 - ROUNDING)


def laplace_bounds(squares: tuple[tuple[int, int], ...], n: int) -> tuple[float, float]:
    """Lower bounds of the first Dirichlet and the first nonzero Neumann eigenvalue, legs 1/n."""
    points, triangles = _triangles(squares, n)
    K, M, boundary = _crouzeix_raviart(points, triangles)
    inner = np.flatnonzero(~boundary)
    dirichlet = eigsh(K[inner][:, inner], 1, M[inner][:, inner], sigma=0.0)[0][0]
    neumann = sorted(eigsh(K, 2, M, sigma=-0.5)[0])[1]
    return lower_bound(float(dirichlet), 1 / n), lower_bound(float(neumann), 1 / n)


def _triangles(squares: tuple[tuple[int, int], ...], n: int) -> tuple[Array, NDArray[np.int64]]:
    """Every square in n² small ones, each cut by a diagonal."""
    first, second = (c.ravel() for c in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    corners = np.concatenate([np.stack([a * n + first, b * n + second], 1) for a, b in squares])
    quads = corners[:, None, :] + np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    points, index = np.unique(quads.reshape(-1, 2), axis=0, return_inverse=True)
    quads = index.reshape(-1, 4)
    return points / n, np.concatenate([quads[:, [0, 1, 3]], quads[:, [1, 2, 3]]])


def _crouzeix_raviart(
    points: Array, triangles: NDArray[np.int64]
) -> tuple[sp.csc_matrix, sp.csc_matrix, NDArray[np.bool_]]:
    """Stiffness, mass (diagonal), and which edges are on the boundary.

    The function of the edge opposite to vertex i is 1 − 2 λ_i.
    """
    x = points[triangles]
    opposite = x[:, [2, 0, 1]] - x[:, [1, 2, 0]]  # the edge opposite to each vertex
    first, second = opposite[:, 0].T, opposite[:, 1].T
    area = abs(first[0] * second[1] - first[1] * second[0]) / 2
    # ∇λ_i is the edge turned by a right angle over twice the area
    local = np.einsum("tid,tjd->tij", opposite, opposite) / area[:, None, None]
    pairs = np.sort(triangles[:, [[1, 2], [2, 0], [0, 1]]], axis=2).reshape(-1, 2)
    _, index, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    edges = index.reshape(-1, 3)
    rows, columns = np.repeat(edges, 3, axis=1).ravel(), np.tile(edges, (1, 3)).ravel()
    K = sp.csc_matrix((local.ravel(), (rows, columns)))
    mass = np.bincount(edges.ravel(), weights=np.repeat(area / 3, 3))
    return K, sp.diags(mass).tocsc(), count == 1
