"""Time of one best approximation: median of repeats after a warm-up, alone on the machine."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import MACHINE, Result
from bench.cells import fem as fem_cell
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config(fem_cell.Config):
    repeats: int = setting(3, min=1, help="Solves timed after the warm-up.")


ALONE = True
TIMED = MACHINE
competitor = None  # it only times what `fem` measures


def needs_bytes(config: Config) -> int:
    return fem_cell.needs_bytes(config)


def run(config: Config) -> Result:
    """Time the method alone: each repeat also measures its error, which does not count."""
    import numpy as np

    from bench.measure.timing import Times
    from fem import elements

    seconds = []
    for _ in range(1 + config.repeats):
        solution = fem_cell.solve(config)
        seconds.append(solution.total_seconds)
    times = Times(np.array(seconds[1:]))  # the first warms up
    values = {name: getattr(solution, name) for name in ("n", "h", "dofs", "l2_error", "solver")}
    labels = elements.get(config.element).labels
    return Result({**values, **labels, **times.values()}, {"seconds": times.seconds})
