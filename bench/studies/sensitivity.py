"""Sensitivity to what the paper leaves open: its comparisons with one choice changed at a time.

The paper states neither γ nor the starting τ and weights, nor λ₂ and the optimiser of its larger
nets, nor what P does to the input. Each choice is varied by itself, on fewer samples and steps than
the paper has. Seeds are crossed with data sets at the base point, so that the spread of weights and
of data can be separated. A second set trains the nets of the paper's table of τ in its own size
with λ₂ > 0: the reading under which its curves of the MSE may rise while J falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.cells import Cell, paired

YIELDS = ("resnet-learned-6", "resnet-fixed-6", "fractional-learned-6", "fractional-fixed-6")


@dataclass(frozen=True)
class Config:
    gammas: tuple[float, ...] = (0.75,)
    lambda2s: tuple[float, ...] = (1e-3,)
    tau0s: tuple[str, ...] = ("0.5",)
    inits: tuple[str, ...] = ("he",)
    scales: tuple[float, ...] = ()
    optimizers: tuple[str, ...] = ("adam",)
    carry_input: bool = True  # also try the other interpretation of P
    samples: int = 250
    # A point is ten cells of 10 s. 300 steps take twice as long; ten seeds that agree decide among
    # 25 points (25·2/2¹⁰ < 5 %).
    steps: int = 150
    seeds: tuple[int, ...] = tuple(range(1100, 1112))
    crossed_data: tuple[int, ...] = (1100, 1101)  # with all seeds, at the base point
    second_reading: tuple[float, ...] = (1e-3,)  # λ₂ of the table's nets
    second_reading_seeds: tuple[int, ...] = (1100,)  # one seed shows whether it is possible
    second_reading_hidden: tuple[int, ...] = (2, 6)


PRESETS = {
    "quick": Config(
        tau0s=("1/H",),
        inits=(),
        optimizers=(),
        carry_input=False,
        samples=150,
        steps=60,
        seeds=(0,),
        crossed_data=(),
        second_reading=(),
    ),
    "paper": Config(),
    "full": Config(
        gammas=(0.1, 0.25, 0.75, 0.9),
        lambda2s=(1e-5, 1e-4, 1e-3, 1e-2),
        tau0s=("1/H", "1/sqrtH", "0.5", "2", "uniform"),
        inits=("he", "xavier", "normal"),
        scales=(0.5, 2.0),
        optimizers=("adam", "lbfgs", "lssbfgs"),
        samples=12_000,
        steps=1000,
        crossed_data=(1100, 1101, 1102),
        second_reading=(1e-4, 1e-3, 1e-2),
        second_reading_seeds=tuple(range(1100, 1112)),
    ),
}


def variations(config: Config) -> list[dict[str, Any]]:
    """The base point and every change of one setting."""
    changes: list[dict[str, Any]] = [{}]
    named = (
        ("gamma", config.gammas),
        ("lambda2", config.lambda2s),
        ("tau0", config.tau0s),
        ("init", config.inits),
        ("scale", config.scales),
        ("optimizer", config.optimizers),
        ("carry_input", (True,) if config.carry_input else ()),
    )
    for name, values in named:
        changes += [{name: value} for value in values]
    return changes


def cells(config: Config) -> list[Cell]:
    size = {"samples": config.samples, "steps": config.steps}
    varied = [
        Cell("sensitivity", {**size, **change, **paired(seed)})
        for change in variations(config)
        for seed in config.seeds
    ]
    crossed = [
        Cell("sensitivity", {**size, "seed": seed, "data_seed": data})
        for seed in config.seeds
        for data in config.crossed_data
    ]
    return list(dict.fromkeys([*varied, *crossed])) + table_nets(config)


def table_nets(config: Config) -> list[Cell]:
    """The nets of the paper's table of τ, in its size, with λ₂ > 0."""
    return [
        Cell(
            "net",
            {
                "net": net,
                "tau": "learned",
                "bias_ordering": ordering,
                "hidden": hidden,
                "optimizer": "steepest",
                "steps": 1000,
                "lambda2": lambda2,
                "precision": "float32",
                **paired(seed),
            },
        )
        for lambda2 in config.second_reading
        for hidden in config.second_reading_hidden
        for net in ("resnet", "fractional")
        for ordering in (False, True)
        for seed in config.second_reading_seeds
    ]
