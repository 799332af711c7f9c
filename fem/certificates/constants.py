"""Constants of the bounds: what stands in front of the norms (maths 12.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt, tanh

import numpy as np

from base.errors import UserError
from fem.certificates.geometry import PROVED, Constant, Geometry
from fem.spaces import Array

DETOUR = 2.0
ROUNDING = 1e-9
FIRST_WAVES = 4  # along x₃ on a prism with constants of their own, the average among them


@dataclass(frozen=True, kw_only=True)
class PhiBounds:
    """What is known of φ: φ ≥ minimum > 0, Lipschitz with |∇ log φ| ≤ slope, or even constant.

    A gradient that vanishes wherever it exists does not make φ constant: φ may jump.
    """

    minimum: float = 1.0
    slope: float = 0.0
    constant: bool = False

    def __post_init__(self) -> None:
        if not self.minimum > 0 or not self.slope >= 0:
            raise UserError(
                f"phi_min must be positive and phi_slope at least 0, got {self.minimum} and "
                f"{self.slope}"
            )

    def allow(self, phi: Array, x: Array) -> bool:
        """Whether φ may have these values at these points: it rises by no more than `slope` along
        a path between two of them, which is at most DETOUR diagonals of their box long."""
        path = DETOUR * float(np.linalg.norm(np.ptp(x, axis=1)))
        rise = float(np.log(phi.max() / phi.min()))
        low_enough = rise <= self.slope * path + ROUNDING
        return low_enough and bool(phi.min() >= (1 - ROUNDING) * self.minimum)


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The numbers in front of the norms of `bounds`."""

    curl: float  # ‖w‖ ≤ curl ‖φ^½ curl w‖
    friedrichs: float
    trace: float  # ‖((m·n)/φ)^½ s‖ ≤ trace ‖curl s‖ where u × n is given
    normal: float = 0.0  # ‖q‖ ≤ normal ‖∇q‖ on natural faces
    natural: float = 0.0  # ‖w‖ ≤ natural ‖curl s‖ on natural faces
    natural_energy: float = 0.0  # ‖w‖ ≤ natural_energy ‖φ^½ curl w‖ there
    # on a prism with constant φ: for w ~ cos kπx₃, k = 0, 1, …, the last for all that follow
    waves: tuple[Constants, ...] = ()

    @classmethod
    def of(cls, geometry: Geometry, phi: PhiBounds) -> Constants:
        C, lowest = geometry.maxwell.value / sqrt(phi.minimum), sqrt(phi.minimum)
        A = geometry.bend + geometry.reach * phi.slope
        trace = sqrt(A * C**2 + 2 * geometry.reach * C / lowest)
        common = cls(curl=C, friedrichs=geometry.friedrichs.value, trace=trace)
        if geometry.caps is None:
            return common
        root = sqrt(geometry.caps)
        normal = 1 / sqrt(root * tanh(root / 2))
        on_ends = sqrt(2 * (C**2 + C / lowest))
        each = range(FIRST_WAVES + 1 if phi.constant else 0)
        waves = tuple(cls._of_wave(k, geometry, phi) for k in each)
        return replace(
            common, normal=normal, natural=C * on_ends, natural_energy=on_ends, waves=waves
        )

    @classmethod
    def _of_wave(cls, k: int, geometry: Geometry, phi: PhiBounds) -> Constants:
        """On a prism of height 1, for w ~ cos kπx₃ and, but for `natural`, all larger k; `natural`
        is for k ≥ FIRST_WAVES (maths 12.3, 12.4)."""
        assert geometry.caps is not None
        lowest = geometry.maxwell.value**-2
        lowest = min(lowest, geometry.caps) + (k * pi) ** 2 if k else lowest
        flat = replace(geometry, maxwell=Constant(lowest**-0.5, PROVED), caps=None)
        return replace(cls.of(flat, phi), natural=2 * sqrt(_left_over()) / phi.minimum)


def _left_over() -> float:
    """The larger of Σ (kπ)^−4 over odd and over even k ≥ FIRST_WAVES, from 1/96 over all odd and
    1/1440 over all even k > 0."""
    odd, even = (sum((k * pi) ** -4 for k in range(1 + i, FIRST_WAVES, 2)) for i in (0, 1))
    return max(1 / 96 - odd, 1 / 1440 - even)
