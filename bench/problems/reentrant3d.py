"""`reentrant3d`: a field like `reentrant` that depends on x₃ and has a curl.

S = c I_{2/3}(r) sin(2θ/3), c = 2^{2/3} Γ(5/3), so that S ~ r^{2/3} sin(2θ/3) at the edge, has
ΔS = S in the plane. u = ∇(S cos x₃) + S e₃ has div u = 0, curl u = ∇S × e₃, and with φ = 1
f = curl curl u = −S e₃. u × n = 0 on both faces of the edge; natural conditions on the caps.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, components
from bench.problems.parts.wedge import NU, harmonic, harmonic_gradient, on_prism

# S = s P(r²), P = Σ_k Γ(ν+1)/(k! Γ(k+ν+1)) (r²/4)^k: sixteen terms are exact to rounding, r² ≤ 2.
SERIES = [
    math.gamma(NU + 1) / (math.factorial(k) * math.gamma(k + NU + 1) * 4.0**k) for k in range(16)
]
SLOPES = [k * term for k, term in enumerate(SERIES)][1:]


def plane(x: ArrayLike) -> tuple[Array, Array, Array]:
    """S and its two derivatives: ∇S = P ∇s + 2 P′ s x."""
    x1, x2, _ = components(x)
    square = x1**2 + x2**2
    P = np.polynomial.polynomial.polyval(square, SERIES)
    slope = np.polynomial.polynomial.polyval(square, SLOPES)
    s, (first, second) = harmonic(x1, x2), harmonic_gradient(x1, x2)
    return P * s, P * first + 2 * slope * s * x1, P * second + 2 * slope * s * x2


def potential(x: ArrayLike) -> Array:
    """ψ = S cos x₃."""
    return plane(x)[0] * np.cos(components(x)[2])


def grad_potential(x: ArrayLike) -> Array:
    S, first, second = plane(x)
    x3 = components(x)[2]
    return np.stack([first * np.cos(x3), second * np.cos(x3), -S * np.sin(x3)])


def u(x: ArrayLike) -> Array:
    """∇ψ + S e₃."""
    return grad_potential(x) - f(x)


def curl_u(x: ArrayLike) -> Array:
    """∇S × e₃ = (∂₂S, −∂₁S, 0)."""
    _, first, second = plane(x)
    return np.stack([second, -first, np.zeros_like(first)])


def f(x: ArrayLike) -> Array:
    """−S e₃."""
    S = plane(x)[0]
    return np.stack([np.zeros_like(S), np.zeros_like(S), -S])


TITLE = "A field with a curl, singular at a re-entrant edge"
PROBLEM = on_prism("reentrant3d", TITLE, (potential, grad_potential), u=u, curl_u=curl_u, f=f)
