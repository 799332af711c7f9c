"""`helix`: an analytic field with variation in all three directions.

Rotated ABC flows: w_k(y) = (A sin ky₃ + C cos ky₂, B sin ky₁ + A cos ky₃, C sin ky₂ + B cos ky₁),
v_k(x) = Q w_k(Qᵀx) with Q orthogonal, det Q = 1, so curl v_k = k v_k and div v_k = 0.
u = v₂ + ½ v₋₃, φ = (1 + x₁² + 2x₂² + 3x₃²)/2, f = ∇φ × curl u + φ (4 v₂ + (9/2) v₋₃).
"""

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, Problem, components

Q = np.array([[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]]) / 3
A, B, C = 1.0, 0.7, 0.4


def beltrami(k: int, x: ArrayLike) -> Array:
    """v_k(x) = Q w_k(Qᵀx), an eigenfield of the curl: curl v_k = k v_k."""
    y = k * np.tensordot(Q.T, components(x), axes=1)
    (sin1, sin2, sin3), (cos1, cos2, cos3) = np.sin(y), np.cos(y)
    w = [A * sin3 + C * cos2, B * sin1 + A * cos3, C * sin2 + B * cos1]
    return np.tensordot(Q, np.stack(w), axes=1)


def u(x: ArrayLike) -> Array:
    """v₂ + ½ v₋₃."""
    return beltrami(2, x) + 0.5 * beltrami(-3, x)


def curl_u(x: ArrayLike) -> Array:
    """2 v₂ − (3/2) v₋₃."""
    return 2 * beltrami(2, x) - 1.5 * beltrami(-3, x)


def phi(x: ArrayLike) -> Array:
    """(1 + x₁² + 2x₂² + 3x₃²)/2."""
    x1, x2, x3 = components(x)
    return (1 + x1 * x1 + 2 * x2 * x2 + 3 * x3 * x3) / 2


def grad_phi(x: ArrayLike) -> Array:
    """(x₁, 2x₂, 3x₃)."""
    x1, x2, x3 = components(x)
    return np.stack([x1, 2 * x2, 3 * x3])


def f(x: ArrayLike) -> Array:
    """∇φ × curl u + φ curl curl u, curl curl u = 4 v₂ + (9/2) v₋₃."""
    v2, v3 = beltrami(2, x), beltrami(-3, x)
    swirl = np.cross(grad_phi(x), 2 * v2 - 1.5 * v3, axis=0)
    return swirl + phi(x) * (4 * v2 + 4.5 * v3)


PROBLEM = Problem(
    name="helix",
    title="Two rotated ABC flows, analytic and three-dimensional",
    u=u, curl_u=curl_u, f=f, phi=phi, grad_phi=grad_phi,
    # with q = x₁² + 2x₂² + 3x₃²: |∇φ|² ≤ 3q and φ = (1 + q)/2 ≥ √q, so |∇ log φ| ≤ √3
    phi_min=0.5, phi_slope=3**0.5,
)  # fmt: skip
