"""Is the learned τ an adaptive time grid? Steps against local errors, and the grid at other depths.

The paper's central metaphor. An adaptive grid has small steps where the ODE behind the net bends,
and it serves a finer discretisation of the same ODE better than even steps do.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell

YIELDS = ("correlation", "transferred", "uniform", "reversed")
SHARED = ("deeper", "width", "samples", "evaluations", "rates", "tuning_seeds", "seeds")


@dataclass(frozen=True)
class Config:
    nets: tuple[str, ...] = ("resnet", "fractional")
    hidden: tuple[int, ...] = (12,)
    deeper: int = 24
    width: int = 20
    samples: int = 200
    evaluations: int = 300
    rates: tuple[float, ...] = (1e-3, 3e-3, 1e-2, 2e-2, 4e-2, 0.1, 0.3)
    tuning_seeds: tuple[int, ...] = (0, 1)
    seeds: tuple[int, ...] = tuple(range(1100, 1112))


PRESETS = {
    "quick": Config(
        hidden=(6,),
        deeper=10,
        width=10,
        samples=100,
        evaluations=100,
        rates=(1e-2, 3e-2),
        tuning_seeds=(0,),
        seeds=(1, 2),
    ),
    "paper": Config(),
    "full": Config(hidden=(6, 12, 24), deeper=48, seeds=tuple(range(1100, 1130))),
}


def cells(config: Config) -> list[Cell]:
    shared = {name: getattr(config, name) for name in SHARED}
    return [
        Cell("time_grid", {"net": net, "hidden": hidden, **shared})
        for net in config.nets
        for hidden in config.hidden
    ]
