"""Baselines without a net, told exactly what the nets are told, with the inputs ablated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.baselines import names, takes
from bench.cells import Cell
from bench.problems import Problem
from bench.studies._known import where_u_is_known

YIELDS = (
    "rel_test_error", "l2_error", "l2_error_inside", "l2_error_outside", "unknowns", "chosen",
    "seconds", "seconds_tuning",
)  # fmt: skip

# On `maxwell` f nearly is the answer, u = −q(φ) f: so inputs are taken away one by one.
ABLATION = ("x,f,phi", "x,phi", "x")


@dataclass(frozen=True)
class Config:
    methods: tuple[str, ...] = tuple(names())
    features: tuple[str, ...] = ABLATION
    problems: tuple[str, ...] = ("maxwell", "helix")
    ablated: tuple[str, ...] = ("maxwell", "helix")  # see all `features`, the rest the first only
    samples: tuple[int, ...] = (12_000, 1000)  # the paper's, and those of the tuned nets
    few: tuple[str, ...] = ()  # methods that see the fewest of these samples only
    data_seeds: tuple[int, ...] = (0,)


PRESETS = {
    "quick": Config(  # half of its time would go into these four at 12 000 samples
        features=("x,f,phi", "x"),
        few=("fourier_features", "kernel_ridge", "spline", "tanh_features"),
    ),
    "paper": Config(problems=("maxwell", "helix", "screen"), data_seeds=tuple(range(10))),
    "full": Config(
        problems=("maxwell", "helix", "screen", "curlsing"), data_seeds=tuple(range(20))
    ),
}


@where_u_is_known
def on(config: Config, problem: Problem) -> Config:
    return replace(config, problems=(problem.name,), ablated=(problem.name,))


def cells(config: Config) -> list[Cell]:
    return [
        Cell(
            "baseline",
            {
                "method": method,
                "problem": problem,
                "features": features,
                "samples": samples,
                "data_seed": seed,
            },
        )
        for problem in config.problems
        for method in config.methods
        for features in (config.features if problem in config.ablated else config.features[:1])
        if takes(method, features.split(","))
        for samples in ((min(config.samples),) if method in config.few else config.samples)
        for seed in config.data_seeds
    ]
