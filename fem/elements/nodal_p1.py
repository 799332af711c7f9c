"""nodalP1: continuous linear fields P1³ on tetrahedra, the classical wrong answer at re-entrant
edges (`fem.spaces.tets.nodal`)."""

from __future__ import annotations

from typing import Any

from fem.elements import per_cell
from fem.elements._nodal import nodal


def boundary_value(*data: Any, **options: Any) -> Any:
    from fem.spaces.tets.nodal import solve_nodal_on_tets

    return solve_nodal_on_tets(*data, **options)


ELEMENT = nodal(
    "nodalP1",
    "P₁³ tetrahedra",
    "linear fields",
    boundary_value,
    per_cell(4_000),
    short="nodal P₁",
    cell="tet",
    order=1,
)
