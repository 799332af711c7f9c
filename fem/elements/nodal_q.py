"""nodalQ: continuous fields Q_p³ on bricks, the classical wrong answer at re-entrant edges
(`fem.spaces.bricks.nodal`)."""

from __future__ import annotations

from typing import Any

from fem.elements._nodal import nodal


def boundary_value(*data: Any, **options: Any) -> Any:
    from fem.spaces.bricks.nodal import solve_nodal_on_bricks

    return solve_nodal_on_bricks(*data, **options)


def needs(cells: int, order: int) -> float:
    """The matrix by bricks, and the fill-in of its factors."""
    dofs = 3.0 * cells * max(order, 1) ** 3
    return 16.0 * cells * 9 * (max(order, 1) + 1) ** 6 + 80 * min(dofs, 1e5) ** 1.5


ELEMENT = nodal(
    "nodalQ",
    "Q_p³ bricks",
    "fields of any order",
    boundary_value,
    needs,
    short="nodal Q",
    cell="hex",
    order=None,
    bricks=True,
)
