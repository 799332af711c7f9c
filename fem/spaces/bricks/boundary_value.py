"""The boundary-value problem on bricks (Kikuchi's mixed form), with Nédélec elements of any order.

A whole box is solved in the modes of its axes (`box_solve`), a union of bricks by a sparse
factorisation of the saddle point. Orders may differ from interval to interval of each axis, which
is the hp-version; products of one-dimensional spaces conform by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from base.errors import UserError
from fem import memory
from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.solutions import Clock
from fem.spaces import PLAIN, Array, How
from fem.spaces.bricks.assembled import BrickComplex, assembled_bytes
from fem.spaces.bricks.box import flat
from fem.spaces.bricks.box_solve import BoxSystem, solve_box
from fem.spaces.bricks.mesh import BrickMesh, uniform
from fem.spaces.bricks.order_raising import distance
from fem.spaces.bricks.space import BrickSpace, box_bytes
from fem.spaces.bricks.tensor import Grid
from fem.spaces.bricks.traces import natural_loads, trace_coefficients, with_natural
from fem.spaces.tets.mixed import System, solve_direct

if TYPE_CHECKING:
    from fem.spaces.tets.complex import TetComplex

SOLVERS = ("modes", "direct")


@dataclass(frozen=True, kw_only=True)
class BrickSolution(BoundaryValueSolution):
    """u_h on bricks; its estimates are distances to the solution of a higher order."""

    how: How = field(default=PLAIN, repr=False)

    def estimate(self, problem: BoundaryValueProblem) -> float:
        """In H(curl): a bound of the distance to two orders more on a box (`order_raising`), the
        distance to one order more on other unions of bricks."""
        if self.solver == "modes":
            return distance(self.space.mesh, self.x, problem).hcurl
        finer = solve_on_bricks(
            problem, mesh=self.space.mesh.raised(), solver=self.solver, how=self.how
        )
        difference = finer.x - self.space.mesh.embedded(self.x)
        return float(finer.space.norm(difference))

    def energy_estimate(self, problem: BoundaryValueProblem) -> float:
        """A bound of ‖φ^½ curl(u⁺ − u_h)‖, u⁺ the solution of two orders more, on a box."""
        if self.solver != "modes":
            raise UserError("the energy estimate needs a whole box; use `estimate`")
        return distance(self.space.mesh, self.x, problem).energy


def solve_on_bricks(
    problem: BoundaryValueProblem,
    *,
    mesh: BrickMesh | None = None,
    n: int | None = None,
    order: int | None = None,
    element: str = "hexP",
    solver: str = "auto",
    how: How = PLAIN,
) -> BrickSolution:
    """Solve on a mesh of bricks, or on the cube with n per side of one order.

    `solver`: "modes" for a box, "direct" for any union of bricks; "auto" chooses.
    """
    mesh = with_natural(uniform(n, order) if mesh is None else mesh, problem.natural)
    if solver == "auto":
        solver = "modes" if mesh.is_box and problem.natural is None else "direct"
    if solver == "modes" and problem.natural is not None:
        raise UserError("solver 'modes' has no natural faces; use 'direct'")
    _refuse(mesh, solver)
    if solver == "modes":
        mesh = BoxSystem.on(mesh).mesh  # that of an earlier call keeps its tables
    memory.reset_peak()
    clock = Clock()
    boundary = trace_coefficients(mesh, problem.g, problem.potential, problem.singular_edge)
    clock.lap("assemble")
    quiet = replace(how, singular_edge=problem.singular_edge)
    found = (solve_box if solver == "modes" else _solve_assembled)(mesh, problem, boundary, quiet)
    clock.lap("solve")
    return BrickSolution(
        n=n,
        element=element,
        solver=solver,
        space=BrickSpace(mesh),
        **clock.cost(),
        how=replace(how, progress=None),
        **found,
    )


def _refuse(mesh: BrickMesh, solver: str) -> None:
    """Raise a UserError for a problem that cannot be solved, before anything is allocated."""
    if solver not in SOLVERS:
        raise UserError(f"solver must be auto, {' or '.join(SOLVERS)} for bricks, got {solver!r}")
    if solver == "modes" and not mesh.is_box:
        raise UserError("solver 'modes' needs a whole box; use 'direct' for a union of bricks")
    if mesh.unconstrained_part is not None:
        raise UserError(mesh.unconstrained_part)
    need = box_bytes(mesh) if solver == "modes" else assembled_bytes(mesh)
    limit = memory.limit_bytes()
    if need > limit:
        raise UserError(
            f"{mesh.cells} bricks of order up to {max(max(a.orders) for a in mesh.axes)} need "
            f"about {need / 2**30:.1f} GiB ({solver}), {limit / 2**30:.1f} GiB are available; "
            "use a lower order or fewer bricks"
        )


def _solve_assembled(
    mesh: BrickMesh, problem: BoundaryValueProblem, boundary: Array, how: How
) -> dict[str, Any]:
    """The saddle point by a sparse factorisation."""
    complex_, fine = BrickComplex(mesh), Grid.on(mesh, problem.singular_edge)
    scalar_load = np.zeros(mesh.present_scalars.size)
    if problem.rho is not None:
        scalar_load = fine.scalar_load(problem.rho, [rule.V for rule in fine.rules]).ravel()
    load = flat(fine.load(problem.f, fine.space))
    if problem.natural is not None:
        curl, normal = natural_loads(mesh, problem.natural, problem.singular_edge)
        load, scalar_load = load + curl, scalar_load - normal
    asked = cast("TetComplex", complex_)  # it has all that a saddle point needs
    system = System.of(asked, problem.phi, boundary, load, scalar_load)
    solved, p = solve_direct(system, how)
    x, multiplier = system.lifted(solved.x), np.zeros(mesh.present_scalars.size)
    multiplier[system.interior_scalars] = p
    return {
        "x": mesh.compact(x),
        "multiplier": multiplier[mesh.present_scalars],
        "multiplier_norm": float(np.sqrt(max(p @ (system.laplacian @ p), 0.0))),
        "divergence": system.divergence(x),
        "iterations": solved.iterations,
        "residual": solved.residual,
    }
