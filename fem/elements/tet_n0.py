"""N0: lowest-order Nédélec element of the first kind on tetrahedra, 6 edge dofs ∫ u·t."""

from __future__ import annotations

from typing import Any

from fem.elements import Element, Solver
from fem.spaces import Space


def reference() -> Any:
    """scikit-fem calls it both ElementTetN0 and ElementTetN1; the dofs are oriented low → high."""
    from skfem.element import ElementTetN0

    return ElementTetN0()


def assembled(n: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.assembled import AssembledSpace

    return AssembledSpace(element="N0", n=n, mesh=mesh)


def kuhn(n: int) -> Space:
    from fem.spaces.cube.tets import CubeTets

    return CubeTets(n)


def kuhn32(n: int) -> Space:
    from fem.spaces.cube.tets_single import CubeTetsSingle

    return CubeTetsSingle(n)


def general(n: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.tets.lowest_order import TetSpace

    return TetSpace(n=n, mesh=mesh)


ELEMENT = Element(
    name="N0",
    title="lowest-order Nédélec on tetrahedra",
    cell="tet",
    order=1,
    reference=reference,
    solvers={
        "assembled": Solver(assembled, any_mesh=True, auto_up_to_cells=6 * 4**3),
        "kuhn": Solver(kuhn),
        "kuhn32": Solver(kuhn32),  # where float64 does not fit
        "general": Solver(general, any_mesh=True),
    },
)
