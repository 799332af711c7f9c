"""`curlsing`: a field with a singular curl.

F = √ζ, ζ = 1 − x₁ − i x₂: u = Im F e_z, curl u = ∇ Re F = (Re F′, −Im F′, 0), curl curl u = 0,
div u = 0, φ as `maxwell`, f = ∇φ × curl u. u ∈ H^{3/2−ε}; curl u and f are unbounded on the
edge {x₁ = 1, x₂ = 0}.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, Problem, components
from bench.problems.maxwell import PROBLEM as MAXWELL
from bench.problems.parts.edge import EDGE, about_edge, moved, root, root_derivative


def u(y: ArrayLike) -> Array:
    """Im √ζ e_z at x = y + (1, 0, 0)."""
    y1, y2, _ = components(y)
    zero = np.zeros_like(y1)
    return np.stack([zero, zero, root(y1, y2).imag])


def curl_u(y: ArrayLike) -> Array:
    """(Re F′, −Im F′, 0)."""
    y1, y2, _ = components(y)
    slope = root_derivative(y1, y2)
    return np.stack([slope.real, -slope.imag, np.zeros_like(y1)])


def f(y: ArrayLike) -> Array:
    """∇φ × curl u = (0, 0, −x₁ Im F′ − x₂ Re F′)."""
    y1, y2, _ = components(y)
    slope = root_derivative(y1, y2)
    zero = np.zeros_like(y1)
    return np.stack([zero, zero, -(y1 + 1) * slope.imag - y2 * slope.real])


_IN_X = Problem(
    name="curlsing",
    title="A field whose curl is singular on an edge",
    u=moved(u, -1), curl_u=moved(curl_u, -1), f=moved(f, -1),
    phi=MAXWELL.phi, grad_phi=MAXWELL.grad_phi,
    phi_min=MAXWELL.phi_min, phi_slope=MAXWELL.phi_slope,
    singular_edge=EDGE, bounded_f=False,
)  # fmt: skip
PROBLEM = replace(_IN_X, about_edge=about_edge(_IN_X, u=u, curl_u=curl_u, f=f))
