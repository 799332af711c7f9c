"""N1: second-order Nédélec element of the first kind on tetrahedra, 2 dofs an edge, 2 a face."""

from __future__ import annotations

from typing import Any

from fem.elements import Ability, Element, Solver, factorised, per_cell
from fem.spaces import Space


def reference() -> Any:
    from fem.elements._nedelec2 import ElementTetNedelec2

    return ElementTetNedelec2()


def assembled(n: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.assembled import AssembledSpace

    return AssembledSpace(element="N1", n=n, mesh=mesh)


def auxiliary(n: int | None = None, mesh: Any = None) -> Space:
    """CG preconditioned by the lowest-order subspace (fem.spaces.tets.second_order)."""
    from fem.spaces.tets.second_order import SecondOrderSpace

    return SecondOrderSpace(n=n, mesh=mesh)


def boundary_value(*told: Any, **options: Any) -> Any:
    from fem.spaces.tets.mixed import solve_on_tets

    return solve_on_tets(*told, degree=1, **options)


def fit(*told: Any, **options: Any) -> Any:
    from fem.spaces.tets.fitting import fit_on_tets

    return fit_on_tets(*told, degree=1, **options)


ELEMENT = Element(
    name="N1",
    title="N₁ tetrahedra",
    short="N₁ tets",
    about="second-order Nédélec elements of the first kind on tetrahedra",
    cell="tet",
    order=2,
    reference=reference,
    solvers={
        "auxiliary": Solver(auxiliary, per_cell(8_000), any_mesh=True),
        "assembled": Solver(assembled, factorised(19 / 3, 20), any_mesh=True),
    },
    boundary_value=Ability(boundary_value, per_cell(24_000), ("auto", "direct", "spd")),
    fit=Ability(fit, per_cell(24_000)),
    quadratic=True,
)
