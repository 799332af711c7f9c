"""Cost: the time of a finite-element solve, of a training step and of a prediction.

Every cell runs alone, records its threads, and gives the median of repeats. Compare ratios within
one run; times on two machines are not comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell
from bench.studies import _every as every

YIELDS = ("seconds", "dofs", "l2_error", "parameters", "seconds_per_point")


@dataclass(frozen=True)
class Config:
    n: tuple[int, ...] = (4, 8, 16, 32)
    elements: tuple[str, ...] = ("N0", "hexN0")
    nets: tuple[str, ...] = ("resnet", "fractional")
    hidden: tuple[int, ...] = (2, 6)
    threads: tuple[int, ...] = (1,)
    repeats: int = 5


PRESETS = {
    "quick": Config(n=(4, 16), repeats=3),
    "paper": Config(n=(4, 8, 16, 32, 64, 128), repeats=3),
    "full": Config(
        n=(4, 8, 16, 32, 64, 128, 256),
        nets=every.nets(),
        hidden=(2, 6, 20, 50),
        threads=(1, 2),
        repeats=9,
    ),
}


def cells(config: Config) -> list[Cell]:
    return [
        Cell("fem_timing", {"n": n, "element": element, "threads": t, "repeats": config.repeats})
        for t in config.threads
        for element in config.elements
        for n in config.n
    ] + [
        Cell("net_timing", {"net": net, "hidden": hidden, "threads": t, "repeats": config.repeats})
        for t in config.threads
        for net in config.nets
        for hidden in config.hidden
    ]
