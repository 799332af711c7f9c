"""Constants of the bounds, each with a tag that says how far it can be trusted (maths 12.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt, tanh
from typing import TYPE_CHECKING

import numpy as np

from base.errors import UserError
from fem.spaces import Array, Line

if TYPE_CHECKING:
    from fem.certificates.rules import Rules

EXACT, PROVED, COMPUTED = "exact", "proved", "computed"
TAGS = (EXACT, PROVED, COMPUTED)


@dataclass(frozen=True)
class Constant:
    """An upper bound of a best constant; `computed` means that it may be too small."""

    value: float
    tag: str


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """What the bounds need to know of a domain with given faces for u × n.

    `maxwell` is C_M of ‖z‖ ≤ C_M ‖curl z‖, for fields z without tangential trace where u × n is
    given and orthogonal to all gradients of potentials that vanish there; `friedrichs` is C_F of
    ‖q‖ ≤ C_F ‖∇q‖ for these potentials. The vector field m = scale · (x − centre) has m·n > 0
    where u × n is given and |m| ≤ reach. `caps` is the Dirichlet eigenvalue of the base (a
    lower bound) of a prism of height 1 with natural conditions on its two ends.
    """

    maxwell: Constant
    friedrichs: Constant
    centre: tuple[float, float, float]
    reach: float
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    caps: float | None = None
    rules: Callable[[int, Line | None], Rules] | None = None  # level and singular edge
    unit_cube: bool = False  # where boundary values can be lifted (`coons`)

    def outward(self, x: Array, normal: Array) -> Array:
        """m·n at points (3, …)."""
        shape = (3, *[1] * (x.ndim - 1))
        m = np.reshape(self.scale, shape) * (x - np.reshape(self.centre, shape))
        return np.asarray((m * normal).sum(axis=0))

    @property
    def bend(self) -> float:
        """The largest eigenvalue of tr Dm − 2 Dm, Dm the derivative of m."""
        return sum(self.scale) - 2 * min(self.scale)


@dataclass(frozen=True, kw_only=True)
class PhiBounds:
    """What is known of φ: φ ≥ minimum > 0, and |∇ log φ| ≤ slope."""

    minimum: float = 1.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        if not self.minimum > 0 or not self.slope >= 0:
            raise UserError(
                f"phi_min must be positive and phi_slope at least 0, got {self.minimum} and "
                f"{self.slope}"
            )


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The numbers in front of the norms of `bounds`."""

    curl: float  # ‖w‖ ≤ curl ‖φ^½ curl w‖
    friedrichs: float
    trace: float  # ‖((m·n)/φ)^½ s‖ ≤ trace ‖curl s‖ where u × n is given
    normal: float = 0.0  # ‖q‖ ≤ normal ‖∇q‖ on natural faces
    natural: float = 0.0  # ‖w‖ ≤ natural ‖curl s‖ on natural faces
    natural_energy: float = 0.0  # ‖w‖ ≤ natural_energy ‖φ^½ curl w‖ there

    @classmethod
    def of(cls, geometry: Geometry, phi: PhiBounds) -> Constants:
        C, lowest = geometry.maxwell.value / sqrt(phi.minimum), sqrt(phi.minimum)
        A = geometry.bend + geometry.reach * phi.slope
        trace = sqrt(A * C**2 + 2 * geometry.reach * C / lowest)
        common = {"curl": C, "friedrichs": geometry.friedrichs.value, "trace": trace}
        if geometry.caps is None:
            return cls(**common)
        root = sqrt(geometry.caps)
        normal = 1 / sqrt(root * tanh(root / 2))
        on_ends = sqrt(2 * (C**2 + C / lowest))
        return cls(**common, normal=normal, natural=C * on_ends, natural_energy=on_ends)
