"""`curlsing`: a field with a singular curl.

F = √ζ, ζ = 1 − x₁ − i x₂: u = Im F e_z, curl u = ∇ Re F = (Re F′, −Im F′, 0), curl curl u = 0,
div u = 0, φ as `maxwell`, f = ∇φ × curl u. u ∈ H^{3/2−ε}; curl u and f are unbounded on the
edge {x₁ = 1, x₂ = 0}.
"""

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, Problem, components
from bench.problems.maxwell import PROBLEM as MAXWELL
from bench.problems.parts.edge import EDGE, root, root_derivative


def u(x: ArrayLike) -> Array:
    """Im √ζ e_z."""
    x1, x2, _ = components(x)
    zero = np.zeros_like(x1)
    return np.stack([zero, zero, root(x1, x2).imag])


def curl_u(x: ArrayLike) -> Array:
    """(Re F′, −Im F′, 0)."""
    x1, x2, _ = components(x)
    slope = root_derivative(x1, x2)
    return np.stack([slope.real, -slope.imag, np.zeros_like(x1)])


def f(x: ArrayLike) -> Array:
    """∇φ × curl u = (0, 0, −x₁ Im F′ − x₂ Re F′)."""
    x1, x2, _ = components(x)
    slope = root_derivative(x1, x2)
    zero = np.zeros_like(x1)
    return np.stack([zero, zero, -x1 * slope.imag - x2 * slope.real])


PROBLEM = Problem(
    name="curlsing",
    title="A field whose curl is singular on an edge",
    u=u, curl_u=curl_u, f=f,
    phi=MAXWELL.phi, grad_phi=MAXWELL.grad_phi,
    phi_min=MAXWELL.phi_min, phi_slope=MAXWELL.phi_slope,
    singular_edge=EDGE, bounded_f=False,
)  # fmt: skip
