"""The boundary-value problem solved: told f, φ and the boundary trace, never u."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Cell
from bench.problems import Problem
from bench.studies._sizes import offered

YIELDS = ("h", "dofs", "l2_error", "hcurl_error", "estimated_error", "effectivity", "seconds")


@dataclass(frozen=True)
class Config:
    smooth: tuple[str, ...] = ("maxwell", "helix")
    singular: tuple[str, ...] = ("screen", "curlsing")
    n0: tuple[int, ...] = (1, 2, 4, 8)
    n1: tuple[int, ...] = (1, 2, 4)
    graded: tuple[int, ...] = (2, 4, 8)
    exponent: float = 2.5  # of the grading: lifts the rate on `screen` from 0.5 to 0.9
    orders: tuple[int, ...] = (2, 4, 8, 10)  # of the p-version on one cell, on smooth fields
    layers: tuple[int, ...] = (2, 4)  # of bricks towards a singular edge, of order `layer_order`
    layer_order: int = 5


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
    mine = (problem.name,)
    changed = replace(
        config,
        smooth=mine if problem.smooth else (),
        singular=() if problem.smooth else mine,
        n0=offered(problem, config.n0),
        n1=offered(problem, config.n1),
    )
    return changed if problem.domain.structured else replace(changed, orders=(), layers=())


def cells(config: Config) -> list[Cell]:
    uniform = [
        {"problem": problem, "element": element, "n": n}
        for problem in (*config.smooth, *config.singular)
        for element, sizes in (("N0", config.n0), ("N1", config.n1))
        for n in sizes
    ]
    graded = [
        {"problem": problem, "element": "N0", "n": n, "grading": config.exponent}
        for problem in config.singular
        for n in config.graded
    ]
    high_order = [
        {"problem": problem, "element": "hexP", "n": 1, "order": order}
        for problem in config.smooth
        for order in config.orders
    ]
    layered = [
        {"problem": problem, "element": "hexP", "n": 1, "order": config.layer_order, "layers": k}
        for problem in config.singular
        for k in config.layers
    ]
    everything = uniform + graded + high_order + layered
    return [Cell("fem", {**settings, "solve": True}) for settings in everything]
