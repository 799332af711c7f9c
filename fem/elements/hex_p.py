"""hexP: hexahedral Nédélec elements of any order on bricks, n × n × n of the cube or in layers."""

from __future__ import annotations

from typing import Any

from fem.elements import Ability, Element, Solver
from fem.spaces import Space


def tensor(n: int | None = None, order: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.bricks.mesh import uniform
    from fem.spaces.bricks.space import BrickSpace

    return BrickSpace(uniform(n, order) if mesh is None else mesh)


def boundary_value(*data: Any, **options: Any) -> Any:
    from fem.spaces.bricks.boundary_value import solve_on_bricks

    return solve_on_bricks(*data, **options)


def needs(cells: int, order: int) -> float:
    """The grid of the rule (weights, one slab of values) and the vectors."""
    return 8.0 * cells * ((order + 6) ** 3 + 120 * order * (order + 0.2) ** 2) + 8e7


ELEMENT = Element(
    name="hexP", title="p-version, hexahedra", short="p-version",
    about="Nédélec elements of any order on hexahedra, by tensor products",
    cell="hex", order=None, bricks=True,
    solvers={"tensor": Solver(tensor, needs, any_mesh=True)},
    boundary_value=Ability(boundary_value, needs, ("auto", "modes", "direct")),
)  # fmt: skip
