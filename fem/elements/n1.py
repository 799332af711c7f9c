"""N1: second-order Nédélec element of the first kind on tetrahedra, 2 dofs per edge, 2 per face."""

from __future__ import annotations

from typing import Any

from fem.elements import Ability, Element, Solver, factorised, per_cell
from fem.elements._builders import fit_on_tets, mixed_on_tets
from fem.spaces import Space


def auxiliary(n: int | None = None, mesh: Any = None) -> Space:
    """CG preconditioned by the lowest-order subspace (fem.spaces.tets.second_order)."""
    from fem.spaces.tets.second_order import SecondOrderSpace

    return SecondOrderSpace(n=n, mesh=mesh)


def direct(n: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.tets.space import ComplexSpace

    return ComplexSpace(n=n, mesh=mesh, order=1)


ELEMENT = Element(
    name="N1", title="N₁ tetrahedra", short="N₁ tets",
    about="second-order Nédélec elements of the first kind on tetrahedra",
    cell="tet", order=2,
    solvers={
        "auxiliary": Solver(auxiliary, per_cell(8_000), any_mesh=True),
        "direct": Solver(direct, factorised(19 / 3, 0), any_mesh=True),
    },
    boundary_value=Ability(mixed_on_tets(1), per_cell(24_000), ("auto", "direct", "spd")),
    fit=Ability(fit_on_tets(1), per_cell(24_000)),
    quadratic=True,
)  # fmt: skip
