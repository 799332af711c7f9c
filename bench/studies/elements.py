"""Finite elements: given the field, and given the equation and boundary values.

Best approximations are oracle lines (track: oracle); the boundary-value problem is given f, φ and
the boundary trace, never u (track: solve). Second order, the p-version, and meshes graded to a
singular edge; lowest order on uniform tets, which the paper compares with, is in `convergence`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench import problems
from bench.cells import Cell
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._meshes import Settings, offered, uniform

YIELDS = (
    "h", "dofs", "l2_error", "l2_error_inside", "hcurl_error", "estimated_error", "seconds",
    "seconds_per_point",
)  # fmt: skip
MOST_SOLVED = 64  # cells per side of a boundary-value problem


@dataclass(frozen=True)
class Config:
    """Cells per side by family, uniform and graded; orders of the p-version on one cell; layers of
    bricks of order `layer_order` at a singular edge."""

    smooth: tuple[str, ...] = every.fields(smooth=True)
    singular: tuple[str, ...] = every.fields(smooth=False)
    n0: tuple[int, ...] = (1, 2, 4, 8)
    hex_n0: tuple[int, ...] = (1, 2, 4, 8)
    n1: tuple[int, ...] = (1, 2, 4)
    orders: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10)
    graded: tuple[int, ...] = (2, 4, 8)
    exponent: float = 2.5  # grading exponent: lifts the rate on `screen` from 0.5 to 0.9
    layers: tuple[int, ...] = (2, 4)
    layer_order: int = 5


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


def on(config: Config, problem: Problem) -> Config:
    """Restrict to this problem and the mesh sizes of its domain."""
    mine = (problem.name,)
    changed = replace(
        config,
        smooth=mine if problem.smooth else (),
        singular=() if problem.smooth else mine,
        n0=offered(problem, config.n0),
        n1=offered(problem, config.n1),
    )
    if problem.domain.structured:
        return changed
    return replace(changed, hex_n0=(), orders=(), layers=())


def cells(config: Config) -> list[Cell]:
    found = [cell for name in (*config.smooth, *config.singular) for cell in _of(config, name)]
    return [Cell("fem", settings) for settings in found]


def _of(config: Config, problem: str) -> list[Settings]:
    """Both tasks on one problem; best approximations need u."""
    orders = config.orders if problem in config.smooth else ()
    sizes = tuple(n for n in config.n0 if n <= MOST_SOLVED)
    solved = uniform(problem, every.solving(), sizes, config.n1, orders)
    given_u: list[Settings] = []
    if problems.get(problem).known:
        for element in every.approximating():
            lowest = config.n0 if element.cell == "tet" else config.hex_n0
            given_u += uniform(problem, [element], lowest, config.n1, config.orders)
    if problem in config.singular:
        both = _towards_edge(config, problem)
        solved, given_u = solved + both, given_u + (both if given_u else [])
    return given_u + [{**settings, "solve": True} for settings in solved]


def _towards_edge(config: Config, problem: str) -> list[Settings]:
    """N₀ on tets graded to the singular edge, and layers of bricks towards it."""
    tets = {"problem": problem, "element": "N0", "grading": config.exponent}
    bricks = {"problem": problem, "element": "hexP", "n": 1, "order": config.layer_order}
    graded: list[Settings] = [tets | {"n": n} for n in config.graded]
    return graded + [bricks | {"layers": layers} for layers in config.layers]
