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
WAVES = ("flux", "equation", "trace")  # on a prism also wave by wave along x₃: "flux 0", …
Norms = Mapping[str, float]


def l2_parts(norms: Norms, C: Constants) -> dict[str, float]:
    """The contributions to the bound of ‖u − v‖; those of one group are added."""
    first = {
        "divergence": norms["recovered"] + C.friedrichs * norms["divergence"],
        "normal": C.normal * norms["normal"],
    }
    if "flux 0" in norms:
        return first | {"waves": _waves(norms, C.waves)}
    return first | {
        "equation": C.curl * norms["flux"] + C.curl**2 * norms["equation"],
        "trace": C.trace * norms["trace"],
        "natural": C.natural * norms["natural"],
    }


def _waves(norms: Norms, C: tuple[Constants, ...]) -> float:
    """(Σ b_k²)^½ for the waves along x₃, the last for all that follow (theorem 2′)."""
    b = []
    for k, c in enumerate(C):
        flux, equation, trace = (norms[f"{name} {k}"] for name in WAVES)
        b.append(c.curl * flux + c.curl**2 * equation + c.trace * trace)
    return hypot(*b[:-1], b[-1] + C[-1].natural * norms["natural"])


def l2_bound(norms: Norms, C: Constants) -> float:
    """√(a² + b²) ≥ ‖u − v‖: a for the gradient part of the error, b for the rest (theorem 2)."""
    divergence, normal, *rest = l2_parts(norms, C).values()
    return hypot(divergence + normal, sum(rest))


def energy_bound(norms: Norms, C: Constants, lifted: float = 0.0) -> float:
    """√(M² + ‖φ^½ curl ℓ‖²) ≥ ‖φ^½ curl(u − v)‖ for a lift ℓ of v × n − g (theorem 1)."""
    natural = C.natural_energy * norms["natural"]
    return hypot(norms["flux"] + C.curl * norms["equation"] + natural, lifted)
