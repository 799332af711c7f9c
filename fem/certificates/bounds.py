"""The two theorems as arithmetic: from norms and constants to bounds (maths 12.1, 12.2)."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from fem.certificates.constants import Constants

NORMS = (
    "flux",  # ‖φ^½ curl v − φ^{−½} σ‖
    "equation",  # ‖f − curl σ‖
    "recovered",  # ‖v − τ‖
    "divergence",  # ‖div τ − ρ‖
    "trace",  # ‖(φ/(m·n))^½ (v × n − g)‖ where u × n is given
    "normal",  # ‖(τ − u)·n‖ on natural faces
    "natural",  # ‖(σ − φ curl u) × n‖ on natural faces
)
# Of averages over x₃ on a prism, where `Constants.waves` bounds the rest (maths 12.2)
MEANS = (
    "mean_flux",  # of the third component of φ^½ curl v − φ^{−½} σ
    "mean_equation",  # of the first two of f − curl σ, with what φ curl u × n on the ends adds
    "mean_trace",  # of the third of (φ/(m·n))^½ (v × n − g)
)
Norms = Mapping[str, float]


def l2_parts(norms: Norms, C: Constants) -> dict[str, float]:
    """The contributions to the bound of ‖u − v‖; those of one group are added."""
    W = C.waves if C.waves is not None and "mean_flux" in norms else C
    parts = {
        "divergence": norms["recovered"] + C.friedrichs * norms["divergence"],
        "normal": C.normal * norms["normal"],
        "equation": W.curl * norms["flux"] + W.curl**2 * norms["equation"],
        "trace": W.trace * norms["trace"],
        "natural": W.natural * norms["natural"],
    }
    if W is not C:
        of = [norms[name] for name in MEANS]
        parts["mean"] = C.curl * of[0] + C.curl**2 * of[1] + C.trace * of[2]
    return parts


def l2_bound(norms: Norms, C: Constants) -> float:
    """√(a² + b²) ≥ ‖u − v‖: a for the gradient part of the error, b for the rest (theorem 2); on a
    prism with the averages √(a² + b₀² + b₁²)."""
    parts = l2_parts(norms, C)
    gradients = parts["divergence"] + parts["normal"]
    rest = parts["equation"] + parts["trace"] + parts["natural"]
    return hypot(gradients, rest, parts.get("mean", 0.0))


def energy_bound(norms: Norms, C: Constants, lifted: float = 0.0) -> float:
    """√(M² + ‖φ^½ curl ℓ‖²) ≥ ‖φ^½ curl(u − v)‖ for a lift ℓ of v × n − g (theorem 1)."""
    natural = C.natural_energy * norms["natural"]
    return hypot(norms["flux"] + C.curl * norms["equation"] + natural, lifted)
