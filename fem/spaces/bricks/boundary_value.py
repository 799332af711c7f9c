"""The boundary-value problem on bricks (Kikuchi's mixed form), with Nédélec elements of any order.

A whole box is solved in the modes of its axes (`box_solve`), a union of bricks by a sparse
factorisation of the saddle point. Orders may differ from interval to interval of each axis, which
is the hp-version; products of one-dimensional spaces conform by themselves.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from fem import memory
from fem.boundary_value import BoundaryValueProblem, System, positive, solve_direct
from fem.errors import InputError
from fem.spaces import Array, Field, Line, Progress
from fem.spaces.bricks.assembled import BrickComplex
from fem.spaces.bricks.box import flat
from fem.spaces.bricks.box_solve import solve_box
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.system import BrickSolve
from fem.spaces.bricks.tensor import Grid, at_points, curl
from fem.spaces.bricks.traces import trace_coefficients

if TYPE_CHECKING:
    from fem.spaces.tets.complex import TetComplex

SOLVERS = ("modes", "direct")
FILL = 12  # entries of the factors per entry of the saddle point; measured 5 to 12 on L-shapes
BYTES_PER_POINT = 150  # of a slab: points, a field's own temporaries, values


@dataclass(frozen=True, kw_only=True)
class BrickSolution:
    """u_h on bricks, and how well the discrete equations hold."""

    mesh: BrickMesh
    solver: str
    x: Array
    multiplier_norm: float
    divergence: float
    iterations: int
    residual: float
    seconds: dict[str, float]
    element: str = "hexP"
    n: int | None = None
    problem: BoundaryValueProblem = field(repr=False)

    @property
    def dofs(self) -> int:
        """Of u_h and p_h, those of the boundary included."""
        return self.mesh.dofs + int(self.mesh.present_scalars.sum())

    @property
    def h(self) -> float:
        return self.mesh.h

    @cached_property
    def _parts(self) -> list[Array]:
        return self.mesh.split(self.x)

    @cached_property
    def _curl(self) -> list[Array]:
        return curl(self._parts, [axis.derivative for axis in self.mesh.axes])

    def __call__(self, points: Array) -> Array:
        return at_points(self.mesh, self._parts, points)

    def curl(self, points: Array) -> Array:
        return at_points(self.mesh, self._curl, points, curls=True)

    def errors(
        self, u: Field, curl_u: Field, singular_edge: Line | None = None
    ) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl): told u only now."""
        return Grid.on(self.mesh, singular_edge).errors(self._parts, self._curl, u, curl_u)


def solve_on_bricks(
    problem: BoundaryValueProblem,
    mesh: BrickMesh,
    *,
    solver: str = "auto",
    tol: float = 1e-9,
    progress: Progress | None = None,
) -> BrickSolution:
    """`solver`: "modes" for a box, "direct" for any union of bricks; "auto" takes what fits."""
    if solver == "auto":
        solver = "modes" if mesh.is_box else "direct"
    _refuse(mesh, solver)
    started = time.perf_counter()
    boundary = trace_coefficients(mesh, problem.g, problem.potential, problem.singular_edge)
    assembled = time.perf_counter()
    solve = solve_box if solver == "modes" else _solve_assembled
    found = solve(mesh, problem, boundary, tol, progress)
    return BrickSolution(
        mesh=mesh,
        solver=solver,
        problem=problem,
        seconds={"assemble": assembled - started, "solve": time.perf_counter() - assembled},
        **{name: getattr(found, name) for name in BrickSolve._fields},
    )


def predicted_bytes(mesh: BrickMesh, solver: str) -> int:
    """Peak memory: the vectors of the iteration, or the factors of the saddle point."""
    points = int(np.prod([sum(p + 6 for p in axis.orders) for axis in mesh.axes]))
    if solver == "modes":
        return 8 * (points + 40 * mesh.grid_dofs) + BYTES_PER_POINT * min(points, 1 << 19)
    entries = 0
    for brick in mesh.bricks():
        p, q, r = (axis.orders[i] for axis, i in zip(mesh.axes, brick, strict=True))
        functions = p * (q + 1) * (r + 1) + q * (p + 1) * (r + 1) + r * (p + 1) * (q + 1)
        entries += functions**2
    return 12 * (FILL + 4) * entries


def _refuse(mesh: BrickMesh, solver: str) -> None:
    """InputError before anything is allocated for what cannot be."""
    if solver not in SOLVERS:
        raise InputError(f"solver must be auto, {' or '.join(SOLVERS)} for bricks, got {solver!r}")
    if solver == "modes" and not mesh.is_box:
        raise InputError("solver 'modes' needs a whole box; a union of bricks takes 'direct'")
    if mesh.unconstrained_part is not None:
        raise InputError(mesh.unconstrained_part)
    need, limit = predicted_bytes(mesh, solver), memory.available_bytes()
    if need > limit:
        raise InputError(
            f"{mesh.dofs} unknowns on bricks need about {need / 2**30:.1f} GiB ({solver}), "
            f"{limit / 2**30:.1f} GiB are to be had; take a lower order or fewer bricks"
        )


def _solve_assembled(
    mesh: BrickMesh,
    problem: BoundaryValueProblem,
    boundary: Array,
    tol: float,
    progress: Progress | None,
) -> BrickSolve:
    """The saddle point by a sparse factorisation."""
    complex_, fine = BrickComplex(mesh), Grid.on(mesh, problem.singular_edge)
    tables = [rule.V for rule in fine.rules]
    scalars = int(np.prod(mesh.scalar_shape))
    system = System(
        complex=cast("TetComplex", complex_),  # all that a saddle point asks of it
        phi=problem.phi,
        stiffness=complex_.stiffness(positive(problem.phi)),
        mass=complex_.mass(),
        boundary=boundary,
        load=flat(fine.load(problem.f, fine.space)),
        scalar_load=np.zeros(scalars)
        if problem.rho is None
        else fine.scalar_load(problem.rho, tables).ravel(),
    )
    free, p, iterations, residual = solve_direct(system, tol, progress)
    x = system.lifted(free)
    return BrickSolve(
        x=x,
        multiplier_norm=float(np.sqrt(max(p @ (system.laplacian @ p), 0.0))),
        divergence=system.divergence(x),
        iterations=iterations,
        residual=residual,
    )
