"""Nets at their best: tuned by validation inside the cylinder, with the inputs taken away in turn.

Two kinds of cells: `tuned_net`, where the search is part of the method and of its cost, and the
paper's own 2-50 net with τ fixed and learned, under self-scaled BFGS instead of steepest descent.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell

YIELDS = ("rel_test_error", "l2_error", "l2_error_inside", "l2_error_outside", "chosen", "seconds")

# On `maxwell` f nearly is the answer, u = −q(φ) f: so inputs are taken away one by one.
ABLATION = ("x,f,phi", "x,phi", "x")


@dataclass(frozen=True)
class Config:
    problems: tuple[str, ...] = ("maxwell", "helix", "screen")
    features: tuple[str, ...] = ABLATION
    ablated: tuple[str, ...] = ("maxwell", "helix")  # see all `features`, the rest the first only
    sizes: tuple[str, ...] = ("2-10", "2-20")
    etas: tuple[float, ...] = (1e-4, 4.0, 16.0)
    tuning_evaluations: int = 1000
    evaluations: int = 8000
    paper_net: tuple[str, ...] = ("fixed", "learned")  # τ of the 2-50 ResNet
    paper_net_evaluations: int = 300
    seeds: tuple[int, ...] = tuple(range(10))


PRESETS = {
    "quick": Config(
        problems=("maxwell",),
        features=("x,f,phi",),
        sizes=("2-10",),
        etas=(1e-4, 4.0),
        tuning_evaluations=500,
        evaluations=4000,
        paper_net=(),
        seeds=(0, 1),
    ),
    "paper": Config(),
    "full": Config(
        problems=("maxwell", "helix", "screen", "curlsing"),
        sizes=("1-14", "2-10", "2-20", "2-50"),
        etas=(1e-4, 1.0, 4.0, 8.0, 16.0),
        tuning_evaluations=3000,
        evaluations=40_000,
        paper_net_evaluations=2000,
        seeds=tuple(range(20)),
    ),
}


def cells(config: Config) -> list[Cell]:
    tuned = [
        Cell(
            "tuned_net",
            {
                "problem": problem,
                "features": features,
                "sizes": config.sizes,
                "etas": config.etas,
                "tuning_evaluations": config.tuning_evaluations,
                "evaluations": config.evaluations,
                "seed": seed,
                "data_seed": seed,
            },
        )
        for problem in config.problems
        for features in (config.features if problem in config.ablated else config.features[:1])
        for seed in config.seeds
    ]
    papers = [
        Cell(
            "net",
            {
                "tau": tau,
                "hidden": 2,
                "width": 50,
                "optimizer": "ssbfgs",
                "evaluations": float(config.paper_net_evaluations),
                "every": max(1, config.paper_net_evaluations // 20),
                "seed": seed,
                "data_seed": seed,
            },
        )
        for tau in config.paper_net
        for seed in config.seeds
    ]
    return tuned + papers
