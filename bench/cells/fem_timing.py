"""Seconds of one best approximation: median of repeats after a warm-up, alone on the machine."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import MACHINE, Result
from bench.cells import fem as fem_cell
from bench.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config(fem_cell.Config):
    repeats: int = setting(3, min=1, help="Solves timed after the warm-up.")


DEPENDS = (*fem_cell.DEPENDS, "bench.cells.fem", "bench.measure.timing")
ALONE = True
TIMED = MACHINE
appearance = None  # it measures seconds of what `fem` measures


def needs_bytes(config: Config) -> int:
    return fem_cell.needs_bytes(config)


def run(config: Config) -> Result:
    from bench.measure.timing import timed

    solutions = []
    times = timed(lambda: solutions.append(fem_cell.solve(config)), config.repeats)
    names = ("n", "h", "dofs", "l2_error", "solver")
    values = {name: getattr(solutions[-1], name) for name in names}
    return Result({**values, **times.values()}, {"seconds": times.seconds})
