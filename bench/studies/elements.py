"""Work and precision of finite elements: second order, the p-version, meshes graded to the edge.

Best approximations, hence oracle lines (track: oracle). Lowest order on uniform tets, the paper's
opponent, is the study `convergence`; here stand the stronger ones that a referee asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies._sizes import offered

YIELDS = ("h", "dofs", "l2_error", "l2_error_inside", "hcurl_error", "seconds", "seconds_per_point")

SMOOTH = ("maxwell", "helix")
SINGULAR = ("screen", "curlsing")


@dataclass(frozen=True)
class Config:
    """Cells per side by family; `orders` are those of the p-version on one cell."""

    smooth: tuple[str, ...] = SMOOTH
    singular: tuple[str, ...] = SINGULAR
    n0: tuple[int, ...] = (1, 2, 4, 8)  # of the fields that `convergence` leaves out
    hex_n0: tuple[int, ...] = (1, 2, 4, 8)
    n1: tuple[int, ...] = (1, 2, 4)
    orders: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8)
    graded: tuple[int, ...] = (2, 4, 8)
    exponent: float = 2.5  # of the grading: lifts the rate on `screen` from 0.5 to 0.9
    layers: tuple[int, ...] = (2, 4)  # of bricks towards a singular edge, of order `layer_order`
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


def on(config: Config, problem: Problem) -> Config | None:
    if not problem.known:
        return None
    mine = (problem.name,)
    changed = replace(
        config,
        smooth=mine if problem.smooth else (),
        singular=() if problem.smooth else mine,
        n0=offered(problem, config.n0),
        n1=offered(problem, config.n1),
    )
    return (
        changed if problem.domain.structured else replace(changed, hex_n0=(), orders=(), layers=())
    )


def cells(config: Config) -> list[Cell]:
    problems = (*config.smooth, *config.singular)
    uniform = [
        {"problem": problem, "element": element, "n": n}
        for problem in problems
        for element, sizes in (("N0", config.n0), ("hexN0", config.hex_n0), ("N1", config.n1))
        for n in sizes
    ]
    high_order = [
        {"problem": problem, "element": "hexP", "n": 1, "order": order}
        for problem in problems
        for order in config.orders
    ]
    graded = [
        {"problem": problem, "element": "N0", "n": n, "grading": config.exponent}
        for problem in config.singular
        for n in config.graded
    ]
    layered = [
        {"problem": problem, "element": "hexP", "n": 1, "order": config.layer_order, "layers": k}
        for problem in config.singular
        for k in config.layers
    ]
    return [Cell("fem", settings) for settings in uniform + high_order + graded + layered]
