"""Differential operators as coefficients of jets: (rows, channels, 3, N) for `nets.residuals`.

A jet of order "first" has the channels u, ∂₁u, ∂₂u, ∂₃u; "laplacian" adds Δu, "second" the six
second derivatives ∂_j∂_k, j ≤ k. An operator is the array that, contracted with the jet over
channels and components, gives its rows at every point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CHANNELS = {"value": 1, "first": 4, "laplacian": 5, "second": 10}
#: where ∂_j∂_k stands among the channels of "second"
SECOND = {(0, 0): 4, (0, 1): 5, (0, 2): 6, (1, 1): 7, (1, 2): 8, (2, 2): 9}
#: (i, j, k) and its sign: the curl's component i is ∂_j u_k − ∂_k u_j
CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


def nothing(order: str, rows: int, N: int, components: int = 3) -> Array:
    return np.zeros((rows, CHANNELS[order], components, N))


def identity(order: str, N: int) -> Array:
    """u."""
    A = nothing(order, 3, N)
    for i in range(3):
        A[i, 0, i] = 1.0
    return A


def divergence(order: str, N: int) -> Array:
    """div u, one row."""
    A = nothing(order, 1, N)
    for i in range(3):
        A[0, 1 + i, i] = 1.0
    return A


def curl(order: str, N: int) -> Array:
    """curl u."""
    A = nothing(order, 3, N)
    for i, j, k in CYCLES:
        A[i, 1 + j, k] = 1.0
        A[i, 1 + k, j] = -1.0
    return A


def laplacian(N: int) -> Array:
    """Δu, in jets of order "laplacian"."""
    A = nothing("laplacian", 3, N)
    for i in range(3):
        A[i, 4, i] = 1.0
    return A


def curl_curl(N: int) -> Array:
    """curl curl u = ∇ div u − Δu, in jets of order "second"."""
    A = nothing("second", 3, N)
    for i in range(3):
        for j in range(3):
            A[i, SECOND[min(i, j), max(i, j)], j] += 1.0
            A[i, SECOND[j, j], i] -= 1.0
    return A


def crossed(p: Array, A: Array) -> Array:
    """p × (A u) for vectors p (3, N)."""
    out = np.empty_like(A)
    for i, j, k in CYCLES:
        out[i] = p[j] * A[k] - p[k] * A[j]
    return out


def along(t: Array, A: Array) -> Array:
    """t · (A u), one row, for vectors t (3, N)."""
    return np.einsum("mn,mcin->cin", t, A)[None]


def tangents(normal: Array) -> tuple[Array, Array]:
    """t₁, t₂ with t₁, t₂, n orthonormal and right-handed, for unit normals (3, N)."""
    smallest = np.abs(normal).argmin(0)
    axis = np.eye(3)[:, smallest]
    first = axis - np.einsum("in,in->n", axis, normal) * normal
    first /= np.linalg.norm(first, axis=0)
    return first, np.cross(normal, first, axis=0)
