"""The boundary-value problem solved, given f, φ and the boundary trace, never u."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._meshes import Meshes, suited, uniform

YIELDS = ("h", "dofs", "l2_error", "hcurl_error", "estimated_error", "effectivity", "seconds")


@dataclass(frozen=True)
class Config(Meshes):
    orders: tuple[int, ...] = (2, 4, 8, 10)  # p-version on one cell, smooth fields


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
    orders = dict.fromkeys(config.smooth, config.orders)
    cells = [
        settings
        for problem in (*config.smooth, *config.singular)
        for settings in uniform(
            problem, every.solving(), config.n0, config.n1, orders.get(problem, ())
        )
    ]
    cells += config.graded_cells() + config.layered_cells()
    return [Cell("fem", {**settings, "solve": True}) for settings in cells]
