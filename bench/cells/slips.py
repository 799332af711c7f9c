"""The paper's formulas as printed and as corrected, each against an independent computation."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    seed: int = setting(0, min=0, help="Seed of the random nets.")


ALONE = False
TIMED = ()
competitor = None  # it judges formulas


def needs_bytes(config: Config) -> int:
    return 600 * 2**20


def run(config: Config) -> Result:
    """By function of `nets.theory.slips`: the relative error as printed, and corrected; under
    `theorems` what `nets.theory.theorems` measures."""
    from dataclasses import asdict

    from nets.theory.slips import SLIPS
    from nets.theory.theorems import measured_theorems

    slips = {measure.__name__: asdict(measure(config.seed)) for measure in SLIPS}
    return Result({**slips, "theorems": measured_theorems(config.seed)})
