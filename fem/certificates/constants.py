"""Constants of the bounds: what stands in front of the norms (maths 12.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sqrt, tanh

from base.errors import UserError
from fem.certificates.geometry import PROVED, Constant, Geometry


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
    waves: Constants | None = None  # on a prism, for w with average 0 over x₃, φ constant

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
        waves = None if phi.slope else cls._of_waves(geometry, phi)
        return replace(
            common, normal=normal, natural=C * on_ends, natural_energy=on_ends, waves=waves
        )

    @classmethod
    def _of_waves(cls, geometry: Geometry, phi: PhiBounds) -> Constants:
        """On a prism of height 1 the eigenvalues grow by π² at least (maths 12.4)."""
        assert geometry.caps is not None
        lowest = min(geometry.maxwell.value**-2, geometry.caps) + pi**2
        flat = replace(geometry, maxwell=Constant(lowest**-0.5, PROVED), caps=None)
        return replace(cls.of(flat, phi), natural=1 / (sqrt(24) * phi.minimum))
