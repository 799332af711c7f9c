"""The race of the optimisers on a 2-50 ResNet with learned τ, each at its own best settings.

The settings are those with the lowest held-out error inside the cylinder among three of each, at
the same budget and on other seeds. All stop at the same number of evaluations (line search
included); equal time is read off the recorded curves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.cells import Cell

YIELDS = ("rel_test_error", "l2_error", "l2_error_inside", "evaluations", "seconds", "steps")

# Relative test errors after 6 s on one core, seed 100:
TUNED: dict[str, dict[str, Any]] = {
    "steepest": {"scale": 0.5},  # scale 0.5, 1, 2: 2.2e-2, 5.3e-2, 1.0
    # 1000 rows at 3e-3, 1e-2: 1.1e-2, 7.5e-3; 200 rows: 8.7e-3. A row of history costs a whole J.
    "adam": {"batch": 1000, "rate": 1e-2, "every": 60},
    "lbfgs": {"memory": 200},  # 20, 50, 200 pairs: 5.2e-3, 3.8e-3, 2.8e-3
    "lssbfgs": {"memory": 1000},  # 100 pairs: 2.4e-3; from 300 on the same steps: 5.5e-4 … 8.0e-4
    "ssbfgs": {},  # scale 0.5, 1, 2: 7.5e-4, 7.9e-4, 1.0e-3
}


@dataclass(frozen=True)
class Config:
    optimizers: tuple[str, ...] = tuple(TUNED)
    hidden: int = 2
    width: int = 50
    evaluations: float = 1000.0
    seeds: tuple[int, ...] = tuple(range(10))


PRESETS = {
    "quick": Config(evaluations=200.0, seeds=(0,)),
    "paper": Config(),
    "full": Config(evaluations=5000.0, seeds=tuple(range(20))),
}


def cells(config: Config) -> list[Cell]:
    return [
        Cell(
            "net",
            {
                "optimizer": optimizer,
                **TUNED[optimizer],
                "hidden": config.hidden,
                "width": config.width,
                "evaluations": config.evaluations,
                "seed": seed,
                "data_seed": seed,
            },
        )
        for optimizer in config.optimizers
        for seed in config.seeds
    ]
