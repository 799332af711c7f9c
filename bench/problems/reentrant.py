"""`reentrant`: u = ∇(r^{2/3} sin(2θ/3)) on the L-shaped prism, which nodal elements cannot reach.

div u = 0, curl u = 0, and u × n = 0 on both faces of the re-entrant edge, at which u grows like
r^(−1/3): u ∈ H^{2/3−ε}, not H¹. φ = 1, f = 0. On the caps x₃ = 0, 1 natural conditions hold; with
u × n given there, the unbounded boundary values would determine the singularity. The H¹ fields
with u × n = 0 are a closed proper subspace of H(curl) ∩ H(div) (Costabel 1991): continuous
approximations with exact boundary values converge to another field.
"""

import numpy as np
from numpy.typing import ArrayLike

from bench.problems import Array, components
from bench.problems.parts.wedge import harmonic, harmonic_gradient, on_prism


def potential(x: ArrayLike) -> Array:
    """ψ = r^{2/3} sin(2θ/3)."""
    x1, x2, _ = components(x)
    return harmonic(x1, x2)


def u(x: ArrayLike) -> Array:
    """∇ψ."""
    x1, x2, _ = components(x)
    return np.stack([*harmonic_gradient(x1, x2), np.zeros_like(x1)])


def nothing(x: ArrayLike) -> Array:
    return np.zeros_like(components(x))


TITLE = "A gradient singular at a re-entrant edge, which continuous fields do not reach"
PROBLEM = on_prism("reentrant", TITLE, (potential, u), u=u, curl_u=nothing, f=nothing)
