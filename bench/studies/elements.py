"""Work and precision of finite elements: second order, the p-version, meshes graded to the edge.

Best approximations, hence oracle lines (track: oracle). Lowest order on uniform tets, which the
paper compares with, is in the study `convergence`; stronger methods are here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._meshes import Meshes, Settings, suited, uniform

YIELDS = ("h", "dofs", "l2_error", "l2_error_inside", "hcurl_error", "seconds", "seconds_per_point")


@dataclass(frozen=True)
class Config(Meshes):
    """`n0` are mesh sizes for fields that `convergence` leaves out; `orders` are those of the
    p-version on one cell."""

    hex_n0: tuple[int, ...] = (1, 2, 4, 8)
    orders: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8)


PRESETS = {
    "quick": Config(),
    "paper": Config(
        n0=(1, 2, 4, 8, 16, 32, 64),
        hex_n0=(1, 2, 4, 8, 16, 32, 64, 128),
        n1=(1, 2, 4, 8, 16),
        orders=tuple(range(1, 13)),
        graded=(2, 4, 8, 16),
        layers=(2, 4, 6, 8),
        layer_order=6,
    ),
    "full": Config(
        n0=(1, 2, 4, 8, 16, 32, 64, 128, 256),
        hex_n0=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
        n1=(1, 2, 4, 8, 16, 32),
        orders=tuple(range(1, 17)),
        graded=(2, 4, 8, 16, 32),
        layers=(2, 4, 6, 8, 10, 12),
        layer_order=8,
    ),
}
NEEDS_U = True


def on(config: Config, problem: Problem) -> Config:
    changed = suited(config, problem)
    return (
        changed if problem.domain.structured else replace(changed, hex_n0=(), orders=(), layers=())
    )


def cells(config: Config) -> list[Cell]:
    tets = [element for element in every.approximating() if element.cell == "tet"]
    hexes = [element for element in every.approximating() if element.cell == "hex"]
    cells: list[Settings] = []
    for problem in (*config.smooth, *config.singular):
        cells += uniform(problem, tets, config.n0, config.n1, config.orders)
        cells += uniform(problem, hexes, config.hex_n0, config.n1, config.orders)
    cells += config.graded_cells() + config.layered_cells()
    return [Cell("fem", settings) for settings in cells]
