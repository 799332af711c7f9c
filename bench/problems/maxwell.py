"""`maxwell`: the paper's field, u = I₁(r) e_θ.

With r = √(x₁² + x₂²), e_θ = (−x₂, x₁, 0)/r and modified Bessel functions I_k:
curl u = I₀(r) e_z, curl curl u = −u, div u = 0, φ = (r² + 1)/2, f = −r I₀(r) e_θ − φ u.
Written with I₁(r)/r, which is analytic (→ 1/2 at r = 0), nothing is singular on the axis.
"""

from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, Problem, components

# I₀ and I₁(r)/r are power series in r²; where r² ≤ 4 fifteen terms give every digit, without a
# square root and several times as fast as the library functions. The billion-unknown runs spend
# most of their time here.
SERIES_UP_TO = 4.0
_TERMS = range(15)
_I0 = [4.0**-k / factorial(k) ** 2 for k in _TERMS]
_I1_OVER_R = [4.0**-k / (2 * factorial(k) * factorial(k + 1)) for k in _TERMS]


def _series(coefficients: list[float], t: Array) -> Array:
    """Σ c_k t^k by Horner's rule, in place."""
    total = np.full_like(t, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total *= t
        total += c
    return total


def i1_over_r(t: Array) -> Array:
    """I₁(r)/r as a function of t = r²: 1/2 + t/16 + …, to rounding for every t ≥ 0."""
    if t.size == 0 or t.max() <= SERIES_UP_TO:
        return _series(_I1_OVER_R, t)
    from scipy.special import i1

    r = np.sqrt(np.maximum(t, 1e-16))
    return np.asarray(i1(r) / r)


def i0_of_square(t: Array) -> Array:
    """I₀(r) as a function of t = r², to rounding."""
    if t.size == 0 or t.max() <= SERIES_UP_TO:
        return _series(_I0, t)
    from scipy.special import i0

    return np.asarray(i0(np.sqrt(t)))


def u(x: ArrayLike) -> Array:
    """I₁(r) e_θ."""
    x1, x2, _ = components(x)
    factor = i1_over_r(x1 * x1 + x2 * x2)
    field = np.zeros((3, *x1.shape))
    field[0] = factor * -x2
    field[1] = factor * x1
    return field


def curl_u(x: ArrayLike) -> Array:
    """I₀(r) e_z."""
    x1, x2, _ = components(x)
    field = np.zeros((3, *x1.shape))
    field[2] = i0_of_square(x1 * x1 + x2 * x2)
    return field


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
    t = x1 * x1 + x2 * x2
    factor = i0_of_square(t) + phi(x) * i1_over_r(t)
    return np.stack([factor * x2, -factor * x1, np.zeros_like(x1)])


PROBLEM = Problem(
    name="maxwell",
    title="Stationary Maxwell, u = I₁(r) e_θ (the paper's field)",
    u=u, curl_u=curl_u, f=f, phi=phi, grad_phi=grad_phi,
    phi_min=0.5, phi_slope=1.0,  # |∇ log φ| = 2r/(1 + r²)
)  # fmt: skip
