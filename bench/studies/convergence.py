"""Error against mesh size: the best approximation by finite elements on the unit cube.

Two families of ten meshes: n = 1..10, as in the paper, and the dyadic n = 1, 2,
4, …, 512. Lowest-order elements converge with order 1 in L² and H(curl) on smooth fields, but
only asymptotically: 0.81–0.94 for n ≤ 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench import problems
from bench.cells import Cell
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._meshes import offered

YIELDS = ("h", "dofs", "l2_error", "hcurl_error", "iterations")
SMALL = tuple(range(1, 11))


def dyadic(last: int) -> tuple[int, ...]:
    return tuple(2**k for k in range(last.bit_length()))


@dataclass(frozen=True)
class Config:
    n: tuple[int, ...] = SMALL
    elements: tuple[str, ...] = ("N0",)
    problems: tuple[str, ...] = ("maxwell",)


PRESETS = {
    "quick": Config(n=tuple(sorted({*SMALL, *dyadic(16)}))),
    "paper": Config(n=tuple(sorted({*SMALL, *dyadic(512)}))),
    "full": Config(
        n=tuple(sorted({*SMALL, *dyadic(512)})),
        problems=every.fields(),
    ),
}
NEEDS_U = True


def on(config: Config, problem: Problem) -> Config:
    return replace(config, n=offered(problem, config.n), problems=(problem.name,))


# Larger meshes fit in 24 GB only in single precision, which is not used for singular fields.
LARGEST_SINGULAR = 256


def cells(config: Config) -> list[Cell]:
    return [
        Cell("fem", {"problem": problem, "element": element, "n": n})
        for problem in config.problems
        for element in config.elements
        for n in config.n
        if n <= LARGEST_SINGULAR or problems.get(problem).smooth
    ]
