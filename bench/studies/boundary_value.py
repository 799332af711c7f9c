"""The boundary-value problem solved: told f, φ and the boundary trace, never u."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies._meshes import Meshes, suited

YIELDS = ("h", "dofs", "l2_error", "hcurl_error", "estimated_error", "effectivity", "seconds")


@dataclass(frozen=True)
class Config(Meshes):
    orders: tuple[int, ...] = (2, 4, 8, 10)  # of the p-version on one cell, on smooth fields


PRESETS = {
    "quick": Config(),
    "paper": Config(
        n0=(1, 2, 4, 8, 16, 32),
        n1=(1, 2, 4, 8),
        graded=(2, 4, 8, 16),
        orders=(1, 2, 3, 4, 5, 6, 8, 10, 12),
        layers=(2, 4, 6, 8),
        layer_order=6,
    ),
    "full": Config(
        n0=(1, 2, 4, 8, 16, 32, 64),
        n1=(1, 2, 4, 8, 16),
        graded=(2, 4, 8, 16, 32),
        orders=tuple(range(1, 15)),
        layers=(2, 4, 6, 8, 10, 12),
        layer_order=8,
    ),
}


def on(config: Config, problem: Problem) -> Config:
    changed = suited(config, problem)
    return changed if problem.domain.structured else replace(changed, orders=(), layers=())


def cells(config: Config) -> list[Cell]:
    uniform = [
        {"problem": problem, "element": element, "n": n}
        for problem in (*config.smooth, *config.singular)
        for element, sizes in (("N0", config.n0), ("N1", config.n1))
        for n in sizes
    ]
    high_order = [
        {"problem": problem, "element": "hexP", "n": 1, "order": order}
        for problem in config.smooth
        for order in config.orders
    ]
    everything = uniform + config.graded_cells() + high_order + config.layered_cells()
    return [Cell("fem", {**settings, "solve": True}) for settings in everything]
