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


PRESETS = {
    "quick": Config(),
    "paper": Config(n0=(1, 2, 4, 8, 16, 32), n1=(1, 2, 4, 8), graded=(2, 4, 8, 16)),
    "full": Config(n0=(1, 2, 4, 8, 16, 32, 64), n1=(1, 2, 4, 8, 16), graded=(2, 4, 8, 16, 32)),
}


def on(config: Config, problem: Problem) -> Config:
    mine = (problem.name,)
    return replace(
        config,
        smooth=mine if problem.smooth else (),
        singular=() if problem.smooth else mine,
        n0=offered(problem, config.n0),
        n1=offered(problem, config.n1),
    )


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
    return [Cell("fem", {**settings, "solve": True}) for settings in uniform + graded]
