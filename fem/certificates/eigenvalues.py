"""Lower bounds of the first Laplace eigenvalues on a union of unit squares (maths 12.4).

Crouzeix–Raviart elements on right triangles with legs a: λ ≥ λ_h/(1 + ε² λ_h),
ε² = a² (1/π² + 1/36). The constant follows from the Poincaré inequality of such a triangle, which
is known exactly, and from the mean value zero on its edges; no reference is needed for it.
The eigenvalue λ_h is not taken from an eigenvalue solver on trust: the signs of the pivots of an
LDLᵀ factorisation at a shift just below it count the eigenvalues below the shift.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh, splu

from fem.spaces import Array

INTERPOLATION = 1 / np.pi**2 + 1 / 36  # ε² for legs of length 1
BELOW = 1e-6  # distance of the shift from the computed eigenvalue, relative


def lower_bound(value: float, legs: float, interpolation: float = INTERPOLATION) -> float:
    """A lower bound of the exact eigenvalue from that of the elements."""
    return value / (1 + interpolation * legs**2 * value)


def laplace_bounds(squares: tuple[tuple[int, int], ...], n: int) -> tuple[float, float]:
    """Lower bounds of the first Dirichlet and the first nonzero Neumann eigenvalue, legs 1/n."""
    points, triangles = _triangles(squares, n)
    K, M, boundary = _crouzeix_raviart(points, triangles)
    inner = np.flatnonzero(~boundary)
    dirichlet = counted(K[inner][:, inner], M[inner][:, inner], 1)
    return lower_bound(dirichlet, 1 / n), lower_bound(counted(K, M, 2), 1 / n)


def counted(K: sp.csc_matrix, M: sp.csc_matrix, k: int) -> float:
    """A lower bound of the k-th eigenvalue of K x = λ M x, M diagonal, by an inertia count."""
    computed = max(eigsh(K, k, M, sigma=-0.5)[0])
    shift = float(computed) * (1 - BELOW)
    below, error = inertia(K - shift * M)
    if below >= k:
        raise ArithmeticError(f"{below} eigenvalues are below {shift}, expected {k - 1}")
    return shift - error / float(M.diagonal().min())


def inertia(A: sp.csc_matrix) -> tuple[int, float]:
    """The number of negative eigenvalues of A + E, and ‖E‖, for a symmetric sparse A.

    LDLᵀ without pivoting: unstable in general, so its residual E is computed. By Sylvester's law
    the negative pivots are the negative eigenvalues of A + E = LDLᵀ.
    """
    options = {"SymmetricMode": True}
    factors = splu(A.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    if (factors.perm_r != factors.perm_c).any():
        raise ArithmeticError("the factorisation pivoted, so its pivots have no signs to count")
    order, pivots = np.argsort(factors.perm_c), factors.U.diagonal()
    rest = factors.L @ sp.diags(pivots) @ factors.L.T - A.tocsr()[order][:, order]
    return int((pivots < 0).sum()), float(abs(rest).sum(axis=1).max())


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
