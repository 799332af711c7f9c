"""N1: second-order Nédélec element of the first kind on tetrahedra, 2 dofs an edge, 2 a face."""

from __future__ import annotations

from typing import Any

from fem.elements import Element, Solver
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


ELEMENT = Element(
    name="N1",
    title="second-order Nédélec of the first kind on tetrahedra",
    cell="tet",
    order=2,
    reference=reference,
    solvers={
        "auxiliary": Solver(auxiliary, any_mesh=True),
        "assembled": Solver(assembled, any_mesh=True),
    },
)
