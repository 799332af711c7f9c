"""The edge singularity that `screen` and `curlsing` share: F = √ζ, ζ = 1 − x₁ − i x₂.

F is analytic off the half-plane {x₁ ≥ 1, x₂ = 0}, so Re F and Im F are harmonic, with
∇ Re F = (Re F′, −Im F′) and ∇ Im F = (Im F′, Re F′), F′ = −1/(2√ζ), |F′| = ½ R^{−½}.
"""

import numpy as np
from numpy.typing import NDArray

from bench.problems import Array

EDGE = (1.0, 0.0)  # {x₁ = 1, x₂ = 0}


def root(x1: Array, x2: Array) -> NDArray[np.complex128]:
    """F = √ζ, principal branch."""
    return np.sqrt((1 - x1) - 1j * x2)


def root_derivative(x1: Array, x2: Array) -> NDArray[np.complex128]:
    """F′ = −1/(2√ζ).

    On the edge itself F′ has no limit; the value there is set to 0, so that sums over mesh
    vertices stay finite. No quadrature rule of femnets has a point on the edge.
    """
    F = root(x1, x2)
    at_edge = F == 0
    return np.where(at_edge, 0, -0.5 / np.where(at_edge, 1, F))
