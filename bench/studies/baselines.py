"""Baselines without a net, given exactly what the nets are given, with the inputs ablated.

Finite elements are fitted to the samples too, on meshes of the cylinder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell, paired
from bench.methods.baselines import names, takes
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._inputs import seen_by
from bench.studies._meshes import offered

YIELDS = (
    "rel_test_error", "l2_error", "l2_error_inside", "l2_error_outside", "unknowns", "chosen",
    "seconds", "seconds_tuning",
)  # fmt: skip

# On `maxwell` f almost gives the answer, u = −q(φ) f: so inputs are removed one by one.
ABLATION = ("x,f,phi", "x,phi", "x")


@dataclass(frozen=True)
class Config:
    methods: tuple[str, ...] = tuple(names())
    features: tuple[str, ...] = ABLATION
    problems: tuple[str, ...] = every.fields(smooth=True)
    # Given all `features`; the rest, the first only.
    ablated: tuple[str, ...] = every.fields(smooth=True)
    bare: tuple[str, ...] = ()  # given the last of `features` only, like nets there
    samples: tuple[int, ...] = (12_000, 1000)  # the paper's, and those of the tuned nets
    few: tuple[str, ...] = ()  # methods that are given the smallest of `samples` only
    data_seeds: tuple[int, ...] = (0,)
    # Methods that take 2 to 4 s at 12 000 samples (others: 0.1 s) are fitted to so many draws of
    # them only: their errors vary little, and no claim depends on them.
    costly: tuple[str, ...] = every.costly_baselines()
    costly_draws: int = 3
    # Cells per side of the elements of lowest and of higher order that are fitted to the samples.
    fitted: tuple[str, ...] = every.fields(smooth=True)
    fit_n0: tuple[int, ...] = (1, 2, 4)
    fit_n1: tuple[int, ...] = (1, 2)
    fit_draws: int = 3


PRESETS = {
    "quick": Config(  # a third of its time would go into these three at 12 000 samples
        methods=tuple(name for name in names() if name != "gaussian_process"),  # 5 to 12 s each
        features=("x,f,phi", "x"),
        few=("fourier_features", "kernel_ridge", "tanh_features"),
    ),
    "paper": Config(
        problems=every.fields(),
        bare=every.fields(smooth=False),
        data_seeds=tuple(range(1100, 1112)),
        fitted=("maxwell", "helix", "screen"),
        fit_n0=(1, 2, 3, 4, 6),
        fit_n1=(1, 2, 3),
    ),
    "full": Config(
        problems=every.fields(),
        ablated=every.fields(),
        data_seeds=tuple(range(1100, 1120)),
        costly=(),
        fitted=every.fields(),
        fit_n0=(1, 2, 3, 4, 6, 8),
        fit_n1=(1, 2, 3, 4),
        fit_draws=20,
    ),
}
NEEDS_U = True


def on(config: Config, problem: Problem) -> Config:
    n0, n1 = offered(problem, config.fit_n0), offered(problem, config.fit_n1)
    mine = (problem.name,)
    return replace(config, problems=mine, ablated=mine, fitted=mine, fit_n0=n0, fit_n1=n1)


def cells(config: Config) -> list[Cell]:
    elements = [
        Cell("fem_fit", {"problem": problem, "element": element.name, "n": n, "data_seed": seed})
        for problem in config.fitted
        if problem in config.problems
        for element in every.fitting()
        for n in (config.fit_n0 if element.order == 1 else config.fit_n1)
        for seed in config.data_seeds[: config.fit_draws]
    ]
    return (
        elements
        + [
            Cell(
                "baseline",
                {
                    "method": method,
                    "problem": problem,
                    "features": features,
                    "samples": samples,
                    **paired(seed),  # methods with random numbers use seeds that no pilot used
                },
            )
            for problem in config.problems
            for method in config.methods
            for features in seen_by(problem, config)
            if takes(method, features.split(","))
            for samples in ((min(config.samples),) if method in config.few else config.samples)
            for seed in config.data_seeds[: _draws(config, method, samples)]
        ]
    )


def _draws(config: Config, method: str, samples: int) -> int | None:
    """How many draws of the samples a method is fitted to; None: all."""
    many = samples > min(config.samples)
    return config.costly_draws if many and method in config.costly else None
