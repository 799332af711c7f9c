"""Tasks on which neural ODEs struggle: points that cross on the line, a disc inside a ring.

The paper mentions them without a figure (Dupont et al. 2019). Every net has a state of the input's
dimension, or two dimensions more; a ResNet with small steps is a homeomorphism and cannot solve
them, the others may. τ is fixed or learned; rate and τ₀ of both are tuned alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell

YIELDS = ("accuracy", "test_accuracy", "cross_entropy")
SHARED = ("hidden", "count", "steps", "rates", "tau0s", "tuning_seeds", "seeds")


@dataclass(frozen=True)
class Config:
    tasks: tuple[str, ...] = ("crossing", "annuli")
    nets: tuple[str, ...] = ("resnet", "fractional", "feedforward")
    tau: tuple[str, ...] = ("fixed", "learned")
    extra: tuple[int, ...] = (0, 2)
    hidden: int = 10
    count: int = 100
    steps: int = 500
    # Seeds from 1100 and 1200 on were seen with other grids, and without an end of training.
    rates: tuple[float, ...] = (1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0)
    tau0s: tuple[str, ...] = ("0.3/H", "1/H", "3/H", "1", "3", "10", "30")
    tuning_seeds: tuple[int, ...] = (0, 1)
    seeds: tuple[int, ...] = tuple(range(1300, 1312))


PRESETS = {
    "quick": Config(
        extra=(0,),
        steps=100,
        rates=(0.1,),
        tau0s=("1/H", "1"),
        tuning_seeds=(0,),
        seeds=(1,),
    ),
    "paper": Config(),
    "full": Config(extra=(0, 1, 2), seeds=tuple(range(1300, 1330))),
}


def cells(config: Config) -> list[Cell]:
    return [
        Cell(
            "ode_task",
            {
                "task": task,
                "net": net,
                "tau": tau,
                "extra": extra,
                "small_steps": small,
                **{name: getattr(config, name) for name in SHARED},
            },
        )
        for task in config.tasks
        for net in config.nets
        for small in ((False, True) if net == "resnet" else (False,))
        for tau in config.tau
        for extra in config.extra
    ]
