"""The paper's nets: ResNet and Fractional-DNN, τ fixed or learned, with and without bias ordering.

Its experiments E1 and E3–E7 share these cells: 1000 steps of steepest descent with Armijo's rule
from τ₀ = 1, paired seeds. By default each seed has data of its own, so that pairs are independent;
`data_seeds` crosses all seeds with the same data sets, so that their effects can be separated
(as the study `sensitivity` does with small nets). Nets are evaluated in float32, which halves the
time; parameters, line search and J stay in float64. The errors reached, about a per cent, are far
above its rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies import _every as every

YIELDS = ("train_mse", "rel_test_error", "l2_error", "l2_error_inside", "l2_error_outside", "tau")
SHARED = ("width", "steps", "samples", "precision")


@dataclass(frozen=True)
class Config:
    nets: tuple[str, ...] = ("resnet", "fractional")
    taus: tuple[str, ...] = ("fixed", "learned")
    bias_ordering: tuple[bool, ...] = (False, True)
    hidden: tuple[int, ...] = (2, 6)
    width: int = 50
    steps: int = 1000
    seeds: tuple[int, ...] = tuple(range(1100, 1112))
    data_seeds: tuple[int, ...] = ()  # none: each seed has its own
    problems: tuple[str, ...] = ("maxwell",)
    samples: int = 12_000
    precision: str = "float32"  # of the net's evaluation: 1.7 times as fast, J equal to 1e-6


PRESETS = {
    "quick": Config(hidden=(2,), steps=300, seeds=(0, 1), samples=3000, bias_ordering=(False,)),
    "paper": Config(),
    "full": Config(
        nets=every.nets(),
        hidden=(2, 4, 6, 10),
        seeds=tuple(range(1100, 1120)),
        data_seeds=(1100, 1101, 1102),
        problems=every.fields(smooth=True),
    ),
}
ONLY_WHEN_NAMED = True  # on a problem of one's own: 300 steps of steepest descent do not converge
NEEDS_U = True


def on(config: Config, problem: Problem) -> Config:
    """Use every architecture: it is not known in advance which suits the field."""
    return replace(config, problems=(problem.name,), nets=every.nets())


def cells(config: Config) -> list[Cell]:
    return [
        Cell(
            "net",
            {
                "problem": problem,
                "net": net,
                "tau": tau,
                "bias_ordering": ordering,
                "hidden": hidden,
                "optimizer": "steepest",
                **{name: getattr(config, name) for name in SHARED},
                "seed": seed,
                "data_seed": data_seed,
            },
        )
        for problem in config.problems
        for hidden in config.hidden
        for net in config.nets
        for tau in config.taus
        for ordering in config.bias_ordering
        for seed in config.seeds
        for data_seed in config.data_seeds or (seed,)
    ]
