"""`screen`: a singular field with a smooth curl; f, φ and ρ are those of `maxwell`.

ζ = 1 − x₁ − i x₂, R = |ζ|, s = Re√ζ, S = sinh R / R, T = (cosh R − S)/R², F′ = −1/(2√ζ):
ψ = S s cos x₃ is harmonic and u = u_maxwell + ∇ψ, so u ∈ H^{½−ε} only, singular on the edge
{x₁ = 1, x₂ = 0}. The inputs x, f, φ are those of `maxwell`, but u differs: f, φ and ρ do not
determine u, only the boundary trace distinguishes the two. Formulas take y = x − (1, 0, 0).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, Problem, components
from bench.problems.maxwell import PROBLEM as MAXWELL
from bench.problems.parts.edge import EDGE, about_edge, moved, root, root_derivative

# T = Σ_{k≥0} (2k + 2)/(2k + 3)! R^{2k}: nine terms are exact to rounding for R ≤ 1.
T_SERIES = [(2 * k + 2) / float(np.prod(np.arange(1.0, 2 * k + 4))) for k in range(9)]


def sinh_over(R: Array) -> Array:
    """S = sinh R / R."""
    safe = np.where(R < 1e-8, 1.0, R)
    return np.where(R < 1e-8, 1.0, np.sinh(safe) / safe)


def sinh_over_slope(R: Array) -> Array:
    """T = (cosh R − sinh R / R)/R² = S′(R)/R; the difference cancels for R < 1, a series there."""
    series = np.polynomial.polynomial.polyval(np.minimum(R, 1.0) ** 2, T_SERIES)
    far = np.maximum(R, 1.0)
    return np.where(R < 1, series, (np.cosh(far) - np.sinh(far) / far) / far**2)


def potential(y: ArrayLike) -> Array:
    """ψ = S s cos x₃ at x = y + (1, 0, 0)."""
    y1, y2, x3 = components(y)
    return sinh_over(np.hypot(y1, y2)) * root(y1, y2).real * np.cos(x3)


def grad_potential(y: ArrayLike) -> Array:
    """∇ψ = (cos x₃ [S Re F′ + sT y₁], cos x₃ [−S Im F′ + sT y₂], −sin x₃ S s)."""
    y1, y2, x3 = components(y)
    R = np.hypot(y1, y2)
    S, T = sinh_over(R), sinh_over_slope(R)
    s, slope = root(y1, y2).real, root_derivative(y1, y2)
    first = S * slope.real + s * T * y1
    second = -S * slope.imag + s * T * y2
    return np.stack([np.cos(x3) * first, np.cos(x3) * second, -np.sin(x3) * S * s])


def u(y: ArrayLike) -> Array:
    """u_maxwell + ∇ψ."""
    return moved(MAXWELL.u)(y) + grad_potential(y)


_IN_X = Problem(
    name="screen",
    title="The paper's data with a singular gradient added: another u for the same f and φ",
    u=moved(u, -1), curl_u=MAXWELL.curl_u, f=MAXWELL.f,
    phi=MAXWELL.phi, grad_phi=MAXWELL.grad_phi,
    phi_min=MAXWELL.phi_min, phi_slope=MAXWELL.phi_slope,
    singular_edge=EDGE,
    potential=moved(potential, -1), grad_potential=moved(grad_potential, -1),
)  # fmt: skip
_IN_Y = about_edge(_IN_X, u=u, potential=potential, grad_potential=grad_potential)
PROBLEM = replace(_IN_X, about_edge=_IN_Y)
