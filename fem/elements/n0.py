"""N0: lowest-order Nédélec element of the first kind on tetrahedra, 6 edge dofs ∫ u·t."""

from __future__ import annotations

from math import inf
from typing import Any

from fem.elements import Ability, Element, OnCube, Solver, factorised, per_cell
from fem.elements._builders import assembled, fit_on_tets, mixed_on_tets
from fem.spaces import PLAIN, How, Space

# CPU ms at n = 2, 4, 8, 16: 4, 15, 34, 170 by "general", 14, 23, 101, 143 by "kuhn"
KUHN_FROM = 6 * 9**3
NEVER = (0, 0)  # scikit-fem, for comparison


def reference() -> Any:
    """scikit-fem calls it both ElementTetN0 and ElementTetN1; the dofs are oriented low → high."""
    from skfem.element import ElementTetN0

    return ElementTetN0()


def direct(n: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.tets.space import ComplexSpace

    return ComplexSpace(n=n, mesh=mesh)


def kuhn(n: int) -> Space:
    from fem.spaces.cube.tets import CubeTets

    return CubeTets(n)


def kuhn32(n: int) -> Space:
    from fem.spaces.cube.tets import CubeTets

    return CubeTets(n, single=True)


def invisible(how: How) -> bool:
    """Whether "auto" may stop where the algebraic error is a millionth of the error: in float32,
    half the time of float64, for fields that are finite at the vertices."""
    return how.singular_edge is None and how.tol >= PLAIN.tol


def general(n: int | None = None, mesh: Any = None) -> Space:
    from fem.spaces.tets.lowest_order import TetSpace

    return TetSpace(n=n, mesh=mesh)


def boundary_value(problem: Any, *, solver: str, **options: Any) -> Any:
    """Solve on the uniform cube by its own solver, else on the mesh."""
    if solver != "cube":
        return mixed_on_tets(0)(problem, solver=solver, **options)
    from fem.spaces.cube.boundary_value import solve_on_cube

    return solve_on_cube(problem, solver=solver, **options)


ELEMENT = Element(
    name="N0", title="N₀ tetrahedra", short="N₀ tets",
    about="lowest-order Nédélec elements on tetrahedra",
    cell="tet", order=1, reference=reference,
    solvers={
        "assembled": Solver(assembled("N0"), factorised(7 / 6, 6), any_mesh=True, auto_cells=NEVER),
        "direct": Solver(direct, factorised(7 / 6, 0), any_mesh=True, auto_cells=(0, 6 * 4**3)),
        "kuhn32": Solver(
            kuhn32, per_cell(130 / 6), auto_cells=(KUHN_FROM, inf), suits=invisible
        ),
        "kuhn": Solver(kuhn, per_cell(310 / 6), auto_cells=(KUHN_FROM, inf)),
        "general": Solver(general, per_cell(900), any_mesh=True),
    },
    boundary_value=Ability(
        boundary_value,
        per_cell(6_000),
        ("auto", "cube", "direct", "spd"),
        on_cube=OnCube("cube", per_cell(300), from_cells=6 * 4**3),
    ),
    fit=Ability(fit_on_tets(0), per_cell(4_200)),
)  # fmt: skip
