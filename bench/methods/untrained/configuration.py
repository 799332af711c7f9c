"""Settings of a net that is given an equation and whose hidden weights are not trained."""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError
from bench.core.settings import inherited, setting
from bench.methods.configurations import EQUATION, NET, NetOnData, SolvingConfig

NAME = "random-features"  # of the method, in place of an architecture
BOUNDARY_WEIGHT = 900.0
AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class UntrainedConfig:
    """Random features for an equation."""

    net: str = setting(NAME, panel=NET, help=f"The method: {NAME}.")
    problem: str = inherited(NetOnData, "problem")
    features: int | None = setting(
        None, panel=NET, min=4, unset="500, with a singular edge 300",
        help="Random features; with a singular edge those of the outermost window.",
    )  # fmt: skip
    scale: str = setting(
        AUTO, panel=NET,
        help="Scale of the hidden weights, or auto: the one with the smallest indicator of error.",
    )  # fmt: skip
    activation: str = inherited(SolvingConfig, "activation")
    points: int | None = setting(
        None, panel=EQUATION, min=8, unset="1.25 per feature", help="Points inside the domain."
    )
    boundary_points: int | None = setting(
        None, panel=EQUATION, min=8, unset="1.1 per feature", help="Points on its boundary."
    )
    boundary_weight: float = inherited(SolvingConfig, "boundary_weight", default=BOUNDARY_WEIGHT)
    draw: str = inherited(SolvingConfig, "draw")
    seed: int = setting(0, panel=NET, min=0, help="Seed of the hidden weights.")
    data_seed: int = inherited(NetOnData, "data_seed")

    def __post_init__(self) -> None:
        if self.net != NAME:
            raise UserError(f"an untrained net is --net {NAME}, not {self.net!r}")
        if self.given_scale is not None and not self.given_scale > 0:
            raise UserError(f"--scale must be a positive number or auto, got {self.scale!r}")

    @property
    def given_scale(self) -> float | None:
        """The scale, or None if it is to be chosen."""
        if self.scale == AUTO:
            return None
        try:
            return float(self.scale)
        except ValueError:
            raise UserError(
                f"--scale must be a positive number or auto, got {self.scale!r}"
            ) from None
