"""nodalP1: continuous linear fields P1³ on tetrahedra, the classical wrong answer at re-entrant
edges (`fem.spaces.tets.nodal`)."""

from __future__ import annotations

from typing import Any

from fem.elements import Ability, Element, per_cell


def boundary_value(*data: Any, **options: Any) -> Any:
    from fem.spaces.tets.nodal_solve import solve_nodal

    return solve_nodal(*data, **options)


ELEMENT = Element(
    name="nodalP1", title="nodal P₁³ tetrahedra (wrong at re-entrant edges)", short="nodal P₁",
    about="continuous linear fields with div-div and curl-curl: wrong at re-entrant edges",
    cell="tet", order=1, solvers={},
    boundary_value=Ability(
        boundary_value, per_cell(4_000), ("auto", "direct", "multigrid"), whole_trace=True
    ),
)  # fmt: skip
