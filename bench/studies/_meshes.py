"""Meshes that the studies of finite elements share, and which of them suit a problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bench.problems import Problem
from fem.elements import Element

Settings = dict[str, Any]


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


def offered(problem: Problem, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes for which the problem's domain has a mesh; a domain read from a file has few."""
    return tuple(n for n in sizes if problem.domain.offers(n))
