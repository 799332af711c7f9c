"""`screen`: a singular field with a smooth curl; f, φ and ρ are those of `maxwell`.

ζ = 1 − x₁ − i x₂, R = |ζ|, s = Re√ζ, S = sinh R / R, T = (cosh R − S)/R², F′ = −1/(2√ζ):
ψ = S s cos x₃ is harmonic and u = u_maxwell + ∇ψ, so u ∈ H^{½−ε} only, singular on the edge
{x₁ = 1, x₂ = 0}. The inputs x, f, φ are those of `maxwell`, but u differs: f, φ and ρ do not
determine u, only the boundary trace distinguishes the two.
"""

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, Problem, components
from bench.problems.maxwell import PROBLEM as MAXWELL
from bench.problems.parts.edge import EDGE, root, root_derivative

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


def potential(x: ArrayLike) -> Array:
    """ψ = S s cos x₃."""
    x1, x2, x3 = components(x)
    return sinh_over(np.hypot(1 - x1, x2)) * root(x1, x2).real * np.cos(x3)


def grad_potential(x: ArrayLike) -> Array:
    """∇ψ = (cos x₃ [S Re F′ + sT(x₁−1)], cos x₃ [−S Im F′ + sT x₂], −sin x₃ S s)."""
    x1, x2, x3 = components(x)
    R = np.hypot(1 - x1, x2)
    S, T = sinh_over(R), sinh_over_slope(R)
    s, slope = root(x1, x2).real, root_derivative(x1, x2)
    first = S * slope.real + s * T * (x1 - 1)
    second = -S * slope.imag + s * T * x2
    return np.stack([np.cos(x3) * first, np.cos(x3) * second, -np.sin(x3) * S * s])


def u(x: ArrayLike) -> Array:
    """u_maxwell + ∇ψ."""
    return MAXWELL.u(x) + grad_potential(x)


PROBLEM = Problem(
    name="screen",
    title="The paper's data with a singular gradient added: another u for the same f and φ",
    u=u, curl_u=MAXWELL.curl_u, f=MAXWELL.f,
    phi=MAXWELL.phi, grad_phi=MAXWELL.grad_phi,
    phi_min=MAXWELL.phi_min, phi_slope=MAXWELL.phi_slope,
    singular_edge=EDGE,
    potential=potential, grad_potential=grad_potential,
)  # fmt: skip
