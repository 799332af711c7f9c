"""A 5-10 ResNet with learned τ and bias ordering, 1000 steps of steepest descent, then pruned.

The paper does not say from which τ it starts, and near-zero τ's appear from some starting values
only: so the starting value is varied.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell, paired

YIELDS = ("rel_test_error", "tau", "pruned_tau_layers", "pruned_tau_error")


@dataclass(frozen=True)
class Config:
    tau0: tuple[str, ...] = ("1", "1/H", "uniform")
    seeds: tuple[int, ...] = tuple(range(1100, 1112))
    steps: int = 1000


PRESETS = {
    "quick": Config(seeds=(0,)),
    "paper": Config(),
    "full": Config(seeds=tuple(range(1100, 1130))),
}


def cells(config: Config) -> list[Cell]:
    return [
        Cell(
            "net",
            {
                "net": "resnet",
                "tau": "learned",
                "tau0": tau0,
                "bias_ordering": True,
                "hidden": 5,
                "width": 10,
                "optimizer": "steepest",
                "steps": config.steps,
                **paired(seed),
            },
        )
        for tau0 in config.tau0
        for seed in config.seeds
    ]
