"""The boundary-value problem curl(φ curl u) = f, div u = ρ in Ω, u × n = g on ∂Ω.

Kikuchi's mixed form (1987; Monk 2003, ch. 7): u_h in Nédélec's space with the trace g, p_h in the
Lagrange space with zero trace, and for all v, q without trace

    (φ curl u_h, curl v) + (∇p_h, v) = (f, v),      (u_h, ∇q) = −(ρ, q).

On natural faces u·n and φ curl u × n are given instead of u × n: v, q and p_h are free there, and
⟨φ curl u × n, v⟩ and ⟨u·n, q⟩ join the right-hand sides.

Elements that can solve it declare so (`Element.boundary_value`); here are the data, the function
that solves it and its result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from base.errors import UserError
from fem import elements, memory, meshes
from fem.choice import beyond_memory, checked_place, first_converged, order_option
from fem.solutions import Solution
from fem.spaces import Array, Field, How, Line, Progress

Trace = Callable[[Array, Array], Array]  # points and outer normals (3, ...) -> u × n (3, ...)


@dataclass(frozen=True, kw_only=True)
class Natural:
    """Faces where u·n and φ curl u × n are given; all are functions of points and outer normals."""

    where: Callable[[Array, Array], Any]  # (3, ...) twice -> whether a boundary point is on one
    normal: Callable[[Array, Array], Array]  # u·n, (...)
    curl: Trace  # φ curl u × n


@dataclass(frozen=True, kw_only=True)
class BoundaryValueProblem:
    """Data of the boundary-value problem.

    Where g contains the trace of a singular gradient, that part is better given by its `potential`
    ψ (g then without ∇ψ × n): ψ(b) − ψ(a) needs no quadrature.
    """

    f: Field
    phi: Callable[[Array], Array]
    g: Trace
    rho: Callable[[Array], Array] | None = None
    grad_phi: Field | None = None  # for the error estimator only
    potential: Callable[[Array], Array] | None = None
    singular_edge: Line | None = None  # of f or u, for the rules
    natural: Natural | None = None  # None: u × n is given everywhere
    # w of (w div u, div v) for elements that penalise the divergence (None: w = 1)
    div_weight: Callable[[Array], Array] | None = None


def trace_of(u: Field) -> Trace:
    """Return the trace g = u × n of a field."""
    return lambda x, n: np.cross(u(x), n, axis=0)


@dataclass(frozen=True, kw_only=True)
class BoundaryValueSolution(Solution):
    """u_h and p_h, and how well the discrete equations hold; only `measure` needs u."""

    multiplier: Array  # coefficients of p_h in the Lagrange space
    multiplier_norm: float  # ‖∇p_h‖
    estimated: float | None = None  # η, if it was computed during the solve
    # Above 1, u × n and div u leave as many fields less one undetermined; u_h has no flux through
    # any component of the boundary.
    boundary_components: int = 1
    divergence: float  # max |(u_h, ∇q) + (ρ, q)| over nodal q, relative to ‖u_h‖ ‖∇q‖

    @property
    def complex(self) -> Any:
        """The space of u_h together with that of p_h."""
        return self.space

    @property
    def dofs(self) -> int:
        return super().dofs + len(self.multiplier)

    def on_mesh(self) -> BoundaryValueSolution:
        """The solution in the numbering of its mesh, as the residual estimator reads it."""
        return self

    def estimate(self, problem: BoundaryValueProblem) -> float | None:
        """Return η, the method's own estimate of the error, from the data alone."""
        if self.estimated is not None:
            return self.estimated
        from fem.estimator import estimate, total

        return total(estimate(problem, self))


def solve_boundary_value(
    problem: BoundaryValueProblem,
    n: int | None = None,
    *,
    mesh: Any = None,
    element: str = "N0",
    solver: str = "auto",
    order: int | None = None,
    tol: float = 1e-9,
    x0: Field | None = None,
    progress: Progress | None = None,
) -> BoundaryValueSolution:
    """Solve on the unit cube with n cells per side or on a mesh of the element's cells.

    On tetrahedra the `solver` "direct" factorises the saddle point, "spd" does three solves, "cube"
    does them without a matrix (N0 on the uniform cube); on bricks "modes" is for boxes, "direct"
    for any union. "auto" chooses, and tries the next one where a solver does not converge. N0
    converges like h, N1 like h², hexP exponentially. "cube" starts from the interpolant of the
    field `x0`; the other solvers ignore it.
    """
    how = How(tol=tol, progress=progress, guess=x0)
    if problem.natural is not None and n is not None and not elements.get(element).bricks:
        mesh, n = meshes.cube(n, elements.get(element).cell), None  # "cube" has no natural faces
    able, first, where = checked(n, mesh=mesh, element=element, solver=solver, order=order)
    # Where "auto" chose a solver for the cube alone, the ones for any mesh are left.
    names = dict.fromkeys((first, solver)) if solver == "auto" else (first,)
    return first_converged(
        partial(able.run, problem, element=element, solver=name, how=how, **where) for name in names
    )


def checked(
    n: int | None = None,
    *,
    mesh: Any = None,
    element: str = "N0",
    solver: str = "auto",
    order: int | None = None,
) -> tuple[elements.Ability, str, dict[str, Any]]:
    """Return the solver, its options, mesh and order; a UserError if they do not fit together."""
    declared = elements.get(element)
    able = declared.ability("solve")
    if solver not in able.solvers:
        raise UserError(f"solver must be {' or '.join(able.solvers)}, got {solver!r}")
    place = checked_place(n, mesh, declared)
    options = order_option(declared, order, place)
    degree = options.get("order", 0)
    cells, limit = declared.cells(**place), memory.limit_bytes()
    solver, needs = able.choose(solver, cells, "mesh" in place)
    if needs(cells, degree) > limit:
        raise beyond_memory(
            declared,
            place,
            needs(cells, degree),
            limit,
            lambda n: needs(declared.cells(n), degree),
            solver,
        )
    return able, solver, place | options
