"""Kernels of a discretisation, loaded before it is timed and compiled once per machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from base.errors import SHOWN
from bench.methods.finite_elements import Discretisation, approximate, own_measures

if TYPE_CHECKING:
    from bench.problems import Problem

SMALL = 9  # cells per side: multigrid has two levels, and best approximations start from a defect
LEAST = 4  # for smaller cubes and for boundary-value problems on them: all their kernels are used
FEW = 2  # bricks per side, layers, and order
MULTIGRID = ("auxiliary", "general", "multigrid", "spd")
_prepared: set[tuple[Any, ...]] = set()


def prepare(problem: Problem, chosen: Discretisation) -> None:
    """Compute a small version of what will be timed, once per process.

    Loading compiled kernels takes up to 2 s, compiling them 10 s and more: 0.2.0 reported 0.50 s
    for n = 8 and 0.08 s for n = 16. What fails here fails again, with a message, in the run.
    """
    with suppress(*SHOWN):
        small = _small(problem, chosen)
        key = (problem.name, small.element, small.solve, small.solver, small.n, small.grading)
        if key in _prepared:
            return
        _prepared.add(key)
        if chosen.mesh is None and chosen.refine is None:
            approximate(problem, small)
        else:
            _on_the_cube(small)


def _small(problem: Problem, chosen: Discretisation) -> Discretisation:
    """The same element and solver with few unknowns."""
    from fem import elements

    solver, n = _solver(problem, chosen), min(chosen.n or SMALL, SMALL)
    if elements.get(chosen.element).bricks:
        n = min(n, FEW)
    elif solver == "cube" or (n < SMALL and solver not in MULTIGRID):
        n = min(n, LEAST)
    return replace(
        chosen,
        n=n,
        order=chosen.order and min(chosen.order, FEW),
        layers=chosen.layers and min(chosen.layers, FEW),
        solver=solver,
        tol=1e-4,
        mesh=None,
        refine=None,
    )


def _solver(problem: Problem, chosen: Discretisation) -> str:
    """The solver that "auto" will choose; for many tetrahedra the iterative one."""
    from fem import elements
    from fem.boundary_value import checked
    from fem.choice import make_space
    from fem.spaces import How

    refined = chosen.refine is not None
    if not chosen.solve:
        how = How(singular_edge=problem.singular_edge, tol=chosen.tol)
        return make_space(**chosen.place(problem), **chosen.options, how=how)[0]
    solvers = elements.get(chosen.element).ability("solve").solvers
    if chosen.solver == "auto" and "spd" in solvers and (refined or _many(problem, chosen)):
        return "spd"
    return chosen.solver if refined else checked(**chosen.place(problem), **chosen.options)[1]


def _many(problem: Problem, chosen: Discretisation) -> bool:
    """Whether a mesh without solvers of its own has so many cells that "auto" iterates."""
    if chosen.mesh is not None:
        return bool(chosen.mesh.t.shape[1] > 6 * SMALL**3)
    return (chosen.n or 0) > SMALL and "mesh" in replace(chosen, n=1).place(problem)


def _on_the_cube(small: Discretisation) -> None:
    """A smooth field on Kuhn tetrahedra, for meshes that were read or will be refined."""
    from bench import problems
    from fem import meshes

    smooth = problems.get("maxwell")
    own_measures(smooth, approximate(smooth, replace(small, n=None, mesh=meshes.cube(SMALL))))
