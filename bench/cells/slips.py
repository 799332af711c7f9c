"""The paper's formulas, printed and corrected, compared with independent computations."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    seed: int = setting(0, min=0, help="Seed of the random nets.")


ALONE = False
TIMED = ()
competitor = None  # it checks formulas


def needs_bytes(config: Config) -> int:
    return 600 * 2**20


def run(config: Config) -> Result:
    """Return relative errors, printed and corrected, by function of `nets.theory.slips`; under
    `theorems` the measurements of `nets.theory.theorems`."""
    from dataclasses import asdict

    from nets.theory.slips import SLIPS
    from nets.theory.theorems import measured_theorems

    slips = {measure.__name__: asdict(measure(config.seed)) for measure in SLIPS}
    return Result({**slips, "theorems": measured_theorems(config.seed)})
