"""`maxwell`: the paper's field, u = I₁(r) e_θ.

With r = √(x₁² + x₂²), e_θ = (−x₂, x₁, 0)/r and modified Bessel functions I_k:
curl u = I₀(r) e_z, curl curl u = −u, div u = 0, φ = (r² + 1)/2, f = −r I₀(r) e_θ − φ u.
Written with I₁(r)/r, which is analytic (→ 1/2 at r = 0), nothing is singular on the axis.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0, i1

from bench.problems import Array, Problem, components


def i1_over_r(r: Array) -> Array:
    """I₁(r)/r = 1/2 + r²/16 + …, to rounding for every r ≥ 0."""
    small = r < 1e-8  # there r²/16 is below rounding
    safe = np.where(small, 1.0, r)
    return np.where(small, 0.5, i1(safe) / safe)


def u(x: ArrayLike) -> Array:
    """I₁(r) e_θ."""
    x1, x2, _ = components(x)
    factor = i1_over_r(np.hypot(x1, x2))
    return np.stack([-factor * x2, factor * x1, np.zeros_like(x1)])


def curl_u(x: ArrayLike) -> Array:
    """I₀(r) e_z."""
    x1, x2, _ = components(x)
    zero = np.zeros_like(x1)
    return np.stack([zero, zero, i0(np.hypot(x1, x2))])


def phi(x: ArrayLike) -> Array:
    """(x₁² + x₂² + 1)/2, the reciprocal of the permeability."""
    x1, x2, _ = components(x)
    return (x1 * x1 + x2 * x2 + 1) / 2


def grad_phi(x: ArrayLike) -> Array:
    """(x₁, x₂, 0)."""
    x1, x2, _ = components(x)
    return np.stack([x1, x2, np.zeros_like(x1)])


def f(x: ArrayLike) -> Array:
    """−r I₀(r) e_θ − φ u = −(I₀(r) + φ I₁(r)/r) (−x₂, x₁, 0)."""
    x1, x2, _ = components(x)
    r = np.hypot(x1, x2)
    factor = i0(r) + phi(x) * i1_over_r(r)
    return np.stack([factor * x2, -factor * x1, np.zeros_like(x1)])


PROBLEM = Problem(
    name="maxwell",
    title="Stationary Maxwell, u = I₁(r) e_θ (the paper's field)",
    u=u,
    curl_u=curl_u,
    f=f,
    phi=phi,
    grad_phi=grad_phi,
)
