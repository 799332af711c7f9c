"""Meshes that the studies of finite elements share, and which of them suit a problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bench.problems import Problem
from bench.studies import _every as every
from fem.elements import Element

Settings = dict[str, Any]


@dataclass(frozen=True)
class Meshes:
    """Cells per side by family, uniform and graded, and layers of bricks."""

    smooth: tuple[str, ...] = every.fields(smooth=True)
    singular: tuple[str, ...] = every.fields(smooth=False)
    n0: tuple[int, ...] = (1, 2, 4, 8)
    n1: tuple[int, ...] = (1, 2, 4)
    graded: tuple[int, ...] = (2, 4, 8)
    exponent: float = 2.5  # grading exponent: lifts the rate on `screen` from 0.5 to 0.9
    layers: tuple[int, ...] = (2, 4)  # layers of bricks of order `layer_order` at a singular edge
    layer_order: int = 5

    def graded_cells(self) -> list[Settings]:
        """N₀ on tets graded to the singular edge."""
        return [
            {"problem": problem, "element": "N0", "n": n, "grading": self.exponent}
            for problem in self.singular
            for n in self.graded
        ]

    def layered_cells(self) -> list[Settings]:
        """hexP on layers of bricks towards the singular edge."""
        order = self.layer_order
        return [
            {"problem": problem, "element": "hexP", "n": 1, "order": order, "layers": layers}
            for problem in self.singular
            for layers in self.layers
        ]


def uniform(
    problem: str,
    elements: Iterable[Element],
    lowest: tuple[int, ...],
    higher: tuple[int, ...],
    orders: tuple[int, ...],
) -> list[Settings]:
    """Each element on uniform meshes: several sizes if its order is fixed, otherwise every order
    on one cell."""
    cells: list[Settings] = []
    for element in elements:
        common = {"problem": problem, "element": element.name}
        if element.order is None:
            cells += [common | {"n": 1, "order": order} for order in orders]
        else:
            cells += [common | {"n": n} for n in (lowest if element.order == 1 else higher)]
    return cells


Config = TypeVar("Config", bound=Meshes)


def offered(problem: Problem, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes for which the problem's domain has a mesh; a domain read from a file has few."""
    return tuple(n for n in sizes if problem.domain.offers(n))


def suited(config: Config, problem: Problem) -> Config:
    """Restrict a config to this problem and to the mesh sizes of its domain."""
    mine = (problem.name,)
    return replace(
        config,
        smooth=mine if problem.smooth else (),
        singular=() if problem.smooth else mine,
        n0=offered(problem, config.n0),
        n1=offered(problem, config.n1),
    )
