"""What the bounds need to know of a domain; each constant says how far it can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fem.certificates.rules import Rules
    from fem.spaces import Array, Line

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
    lower bound) of a prism L × (0, 1), L simply connected, with natural conditions on its two ends.
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
