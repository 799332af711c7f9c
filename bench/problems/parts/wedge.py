"""The singularity at a re-entrant edge of angle 3π/2, shared by the problems on the prism.

s = r^ν sin νθ, ν = 2/3, is harmonic, vanishes on both faces of the edge (θ = 0 and θ = 3π/2), and
|∇s| = ν r^(−1/3): with ζ = x₁ + i x₂, s = Im ζ^ν and ∇s = (Im F′, Re F′), F′ = ν ζ^(ν−1).
"""

from typing import Any

import numpy as np

from bench.domains.prism import DOMAIN as PRISM
from bench.problems import Array, Field, Problem, Scalar

NU = 2 / 3
EDGE = (0.0, 0.0)  # {x₁ = x₂ = 0}


def angle(x1: Array, x2: Array) -> Array:
    """Return θ ∈ [−π/4, 7π/4): the cut lies outside the domain."""
    return np.asarray((np.arctan2(x2, x1) + np.pi / 4) % (2 * np.pi) - np.pi / 4)


def harmonic(x1: Array, x2: Array) -> Array:
    """s = r^ν sin νθ."""
    return np.asarray(np.hypot(x1, x2) ** NU * np.sin(NU * angle(x1, x2)))


def harmonic_gradient(x1: Array, x2: Array) -> tuple[Array, Array]:
    """Return ∇s, set to 0 on the edge, where it has no limit, so that sums stay finite."""
    r, theta = np.hypot(x1, x2), angle(x1, x2)
    size = np.where(r == 0, 0.0, NU * np.where(r == 0, 1.0, r) ** (NU - 1))
    return -size * np.sin((1 - NU) * theta), size * np.cos((1 - NU) * theta)


def on_prism(name: str, title: str, psi: tuple[Scalar, Field], **options: Any) -> Problem:
    """Make a problem on the prism with φ = 1 and natural conditions on the caps, from ψ and ∇ψ."""
    potential, slope = psi
    return Problem(
        name=name,
        title=title,
        potential=potential,
        grad_potential=slope,
        singular_edge=EDGE,
        domain=PRISM,
        natural=("x3=0", "x3=1"),
        **options,
    )
