"""Finite elements fitted to the samples that the nets get, on meshes of the cylinder."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._meshes import offered

YIELDS = ("rel_test_error", "l2_error_inside", "unknowns", "unknowns_without_data", "seconds")


@dataclass(frozen=True)
class Config:
    problems: tuple[str, ...] = every.fields(smooth=True)
    n0: tuple[int, ...] = (1, 2, 4)
    n1: tuple[int, ...] = (1, 2)
    data_seeds: tuple[int, ...] = (0,)


PRESETS = {
    "quick": Config(),
    "paper": Config(
        problems=("maxwell", "helix", "screen"),
        n0=(1, 2, 3, 4, 6),
        n1=(1, 2, 3),
        data_seeds=(1100, 1101, 1102),
    ),
    "full": Config(
        problems=every.fields(),
        n0=(1, 2, 3, 4, 6, 8),
        n1=(1, 2, 3, 4),
        data_seeds=tuple(range(1100, 1120)),
    ),
}
NEEDS_U = True


def on(config: Config, problem: Problem) -> Config:
    n0, n1 = offered(problem, config.n0), offered(problem, config.n1)
    return replace(config, problems=(problem.name,), n0=n0, n1=n1)


def cells(config: Config) -> list[Cell]:
    return [
        Cell("fem_fit", {"problem": problem, "element": element.name, "n": n, "data_seed": seed})
        for problem in config.problems
        for element in every.fitting()
        for n in (config.n0 if element.order == 1 else config.n1)
        for seed in config.data_seeds
    ]
