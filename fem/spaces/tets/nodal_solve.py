"""Continuous fields P1³ with given components on the boundary: one linear system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from base.errors import UserError
from fem import memory, meshes
from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.solutions import Clock
from fem.solvers.auxiliary_space import solve as conjugate_gradients
from fem.solvers.direct import solve_direct
from fem.solvers.multigrid import Multigrid
from fem.spaces import Array, How, LinearSolve
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.nodal import NodalTets

# Up to this many unknowns a factorisation is faster; with a weight on the divergence, where
# multigrid by components does not converge, it is the only one.
DIRECT_UP_TO = 12_000


@dataclass(frozen=True, kw_only=True)
class NodalSolution(BoundaryValueSolution):
    """u_h of a nodal element: it minimises the energy and has no error estimate."""

    energy: float  # ‖φ^½ curl u_h‖² + ‖w^½ div u_h‖²

    def estimate(self, problem: BoundaryValueProblem) -> None:
        """None: the residual estimators presume a method that converges."""
        return


def solve_nodal(
    problem: BoundaryValueProblem,
    *,
    element: str,
    solver: str,
    how: How,
    n: int | None = None,
    mesh: Any = None,
) -> NodalSolution:
    """P1³ on the cube with n cells per side or on a mesh, and the energy of the solution."""
    if problem.potential is not None:
        raise UserError("nodal elements need the trace g whole; include the potential's part in g")
    memory.reset_peak()
    clock = Clock()
    space = NodalTets(TetComplex.on(mesh if n is None else meshes.cube(n), 0, problem.natural))
    A, b = space.matrix(problem), space.load(problem)
    fixed, given = space.held(problem)
    clock.lap("assemble")
    x = np.zeros(space.dofs)
    x[fixed] = given
    free = np.setdiff1d(np.arange(space.dofs), fixed)
    K, right = A[free][:, free].tocsr(), (b - A @ x)[free]
    if solver == "auto":
        direct = len(free) <= DIRECT_UP_TO or problem.div_weight is not None
        solver = "direct" if direct else "multigrid"
    found = (
        solve_direct(K, right)
        if solver == "direct"
        else _multigrid(K, right, free, space.dofs, how)
    )
    x[free] = found.x
    clock.lap("solve")
    return NodalSolution(
        n=n,
        element=element,
        solver=solver,
        space=space,
        **found._replace(x=x)._asdict(),
        **clock.cost(),
        multiplier=np.zeros(0),
        multiplier_norm=0.0,
        divergence=0.0,
        energy=float(x @ (A @ x)),
    )


def _multigrid(K: sp.csr_matrix, b: Array, free: Indices, dofs: int, how: How) -> LinearSolve:
    """One cycle per component: where φ = w = 1 the form is (∇u, ∇v) for fields with u × n = 0 on a
    polyhedron, so that the components couple through the boundary alone."""
    parts = [np.flatnonzero(free // (dofs // 3) == d) for d in range(3)]
    cycles = [Multigrid(K[part][:, part].tocsr()) if len(part) else None for part in parts]

    def precondition(r: Array) -> Array:
        z = np.zeros_like(r)
        for part, cycle in zip(parts, cycles, strict=True):
            if cycle is not None:
                z[part] = cycle(r[part][:, None])[:, 0]
        return z

    return conjugate_gradients(K, b, precondition, how)
