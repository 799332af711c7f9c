"""Kikuchi's mixed form on tetrahedra: the system, its two solvers, and the choice between them.

v = ∇q shows that p_h = 0 up to quadrature where div f = 0, and that three symmetric positive
solves in a row do the same as the saddle point: the Laplacian for p_h, the consistent singular
curl-curl system for some u, the Laplacian for the gradient that makes it divergence-free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from base.errors import NotConverged, UserError
from fem import memory, meshes
from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.choice import first_converged
from fem.elements import factorised
from fem.fields import positive
from fem.preconditioner import hcurl_preconditioner
from fem.solutions import Clock
from fem.solvers import auxiliary_space
from fem.spaces import Array, How, LinearSolve
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.dofs import gradient_dofs, trace_dofs
from fem.spaces.tets.faces import boundary_constants, natural_loads
from fem.spaces.tets.second_order import second_order_preconditioner

LEAST_DIRECT = 1e-8  # a direct solve is not asked for a smaller residual
DIRECT_UP_TO = 6_000  # dofs: the direct solve takes 1 s there, and its fill grows like dofs^1.5


def solve_on_tets(
    problem: BoundaryValueProblem,
    *,
    degree: int,
    element: str,
    solver: str,
    how: How,
    n: int | None = None,
    mesh: Any = None,
) -> BoundaryValueSolution:
    """Solve by N0 (`degree` 0) or N1 (1), by a factorisation ("direct") or three solves ("spd")."""
    memory.reset_peak()
    complex_ = TetComplex.on(meshes.cube(n) if n is not None else mesh, degree, problem.natural)
    clock = Clock()
    system = System.assemble(complex_, problem)
    clock.lap("assemble")
    names = ("direct", "spd") if complex_.dofs <= DIRECT_UP_TO else ("spd", "direct")
    solver, (free, p) = first_converged(
        partial(_solved, name, system, how) for name in (names if solver == "auto" else (solver,))
    )
    clock.lap("solve")
    found = free._replace(x=system.lifted(free.x))
    return BoundaryValueSolution(
        n=n,
        element=element,
        solver=solver,
        space=complex_,
        **found._asdict(),
        **clock.cost(),
        multiplier=system.potentials @ p,
        boundary_components=1 + system.potentials.shape[1] - len(system.interior_scalars),
        multiplier_norm=float(np.sqrt(max(p @ (system.laplacian @ p), 0.0))),
        divergence=system.divergence(found.x),
    )


@dataclass(frozen=True, eq=False)
class System:
    """Matrices over the free dofs and the data moved to the right-hand sides."""

    complex: TetComplex
    phi: Callable[[Array], Array]
    stiffness: sp.csr_matrix
    mass: sp.csr_matrix
    boundary: Array  # coefficients of the lifted trace, zero on free dofs
    load: Array  # (f, v) + ⟨φ curl u × n, v⟩ on natural faces
    scalar_load: Array  # (ρ, q) − ⟨u·n, q⟩ on natural faces
    # Scalars that are 1 on one component of the boundary, without the first: (scalars, components)
    constants: sp.csc_array | None = None

    @classmethod
    def assemble(cls, complex_: TetComplex, problem: BoundaryValueProblem) -> System:
        points = complex_.data_points
        boundary = trace_dofs(complex_, problem.g)
        if problem.potential is not None:
            part = gradient_dofs(complex_, problem.potential)
            boundary[complex_.boundary_dofs] += part[complex_.boundary_dofs]
        load = complex_.load(problem.f, points, problem.singular_edge)
        scalar_load = np.zeros(complex_.gradient.shape[1])
        if problem.rho is not None:
            scalar_load = complex_.scalar_load(problem.rho, points)
        if problem.natural is not None:
            curl, normal = natural_loads(complex_, problem.natural, problem.singular_edge)
            load, scalar_load = load + curl, scalar_load - normal
        system = cls.of(complex_, problem.phi, boundary, load, scalar_load)
        return replace(system, constants=boundary_constants(complex_))

    @classmethod
    def of(
        cls,
        complex_: TetComplex,
        phi: Callable[[Array], Array],
        boundary: Array,
        load: Array,
        scalar_load: Array,
    ) -> System:
        """With the matrices of the complex."""
        stiffness, mass = complex_.stiffness(positive(phi)), complex_.mass()
        return cls(complex_, phi, stiffness, mass, boundary, load, scalar_load)

    @cached_property
    def free(self) -> Indices:
        return np.setdiff1d(np.arange(self.complex.dofs), self.complex.boundary_dofs)

    @cached_property
    def interior_scalars(self) -> Indices:
        everything = np.arange(self.complex.gradient.shape[1])
        return np.setdiff1d(everything, self.complex.boundary_scalars)

    @cached_property
    def interior_nodes(self) -> Indices:
        """Which of the interior scalars are vertices."""
        return np.flatnonzero(self.interior_scalars < self.complex.mesh.nvertices)

    @cached_property
    def potentials(self) -> sp.csc_matrix:
        """All scalars from the interior ones and, where the boundary has several components, one
        constant on each but the first: their gradients have no trace and no curl either."""
        everything = sp.eye_array(self.complex.gradient.shape[1], format="csc")
        inside = everything[:, self.interior_scalars]
        return inside if self.constants is None else sp.hstack([inside, self.constants], "csc")

    @cached_property
    def gradient(self) -> sp.csr_matrix:
        """G from `potentials` to all dofs (its rows outside `free` are zero)."""
        return (self.complex.gradient @ self.potentials).tocsr()

    @cached_property
    def laplacian(self) -> sp.csr_matrix:
        """(∇p, ∇q) = Gᵀ M G."""
        return (self.gradient.T @ (self.mass @ self.gradient)).tocsr()

    @cached_property
    def free_stiffness(self) -> sp.csr_matrix:
        return self.stiffness[self.free][:, self.free].tocsr()

    @cached_property
    def free_load(self) -> Array:
        """(f, v) − (φ curl u_g, curl v)."""
        return (self.load - self.stiffness @ self.boundary)[self.free]

    def lifted(self, free: Array) -> Array:
        x = self.boundary.copy()
        x[self.free] = free
        return x

    def gauss_residual(self, x: Array) -> Array:
        """−(ρ, q) + ⟨u·n, q⟩ − (u, ∇q) for the potentials q; a constant on a component of the
        boundary asks for no flux of u through it."""
        return -self.potentials.T @ self.scalar_load - self.gradient.T @ (self.mass @ x)

    def divergence(self, x: Array) -> float:
        if self.gradient.shape[1] == 0:
            return 0.0
        scale = np.sqrt(self.laplacian.diagonal() * max(x @ (self.mass @ x), 1e-300))
        return float((abs(self.gauss_residual(x)) / scale).max())


Solved = tuple[LinearSolve, Array]  # u on the free dofs, and p


def _solved(solver: str, system: System, how: How) -> tuple[str, Solved]:
    return solver, SOLVERS[solver](system, how)


def solve_direct(system: System, how: How) -> Solved:
    """The saddle point by a sparse factorisation: the oracle."""
    need, limit = factorised(1, 0)(system.complex.dofs, 0), memory.limit_bytes()
    if need > limit:
        raise UserError(
            f"the factors of {system.complex.dofs} unknowns need about {need / 2**30:.2f} GiB, "
            f"{limit / 2**30:.2f} GiB are available; use the solver spd or a coarser mesh"
        )
    G = (system.mass @ system.gradient)[system.free]
    matrix = sp.block_array([[system.free_stiffness, G], [G.T, None]], format="csc")
    b = np.concatenate([system.free_load, system.gauss_residual(system.boundary)])
    solution, residual = _factorised_solve(matrix, b)
    if not residual <= max(how.tol, LEAST_DIRECT):
        raise NotConverged(
            f"the direct solve left a relative residual of {residual:.1e}, not {how.tol:.1e}; the "
            "saddle point is singular or too badly conditioned"
        )
    u, p = np.split(solution, [len(system.free)])
    return LinearSolve(u, 0, residual), p


def _factorised_solve(matrix: Any, b: Array) -> tuple[Array, float]:
    """The solution and its relative residual, infinite for a singular matrix."""
    try:
        factors = splu(matrix)
    except RuntimeError:  # SuperLU found a pivot that is zero
        return np.zeros_like(b), np.inf
    x = factors.solve(b)
    x += factors.solve(b - matrix @ x)  # thin cells cost digits; this brings them back
    scale = float(np.linalg.norm(b)) or 1.0
    return x, float(np.linalg.norm(b - matrix @ x)) / scale


def solve_spd(system: System, how: How) -> Solved:
    """Laplacian, curl-curl, Laplacian, each by preconditioned conjugate gradients."""
    poisson = _poisson_preconditioner(system)
    G = system.gradient
    quiet = replace(how, progress=None)
    p, first, _ = _poisson(system, G.T @ system.load, poisson, quiet)
    b = system.free_load - (system.mass @ (G @ p))[system.free]
    middle = auxiliary_space.solve(system.free_stiffness, b, _curl_preconditioner(system), how)
    chi, last, _ = _poisson(system, system.gauss_residual(system.lifted(middle.x)), poisson, quiet)
    u = middle.x + (G @ chi)[system.free]
    return LinearSolve(u, first + middle.iterations + last, middle.residual), p


SOLVERS = {"direct": solve_direct, "spd": solve_spd}


def _poisson(
    system: System, b: Array, precondition: auxiliary_space.Action, how: How
) -> LinearSolve:
    if len(b) == 0:
        return LinearSolve(b, 0, 0.0)
    return auxiliary_space.solve(system.laplacian, b, precondition, how)


def _poisson_preconditioner(system: System) -> auxiliary_space.Action:
    nodes, A = system.interior_nodes, system.laplacian
    if len(nodes) == 0:  # one cell per side: no node inside
        return lambda r: r / A.diagonal()
    cycle = auxiliary_space.multigrid(A[nodes][:, nodes].tocsr(), system.complex.mesh)
    return cycle if len(nodes) == A.shape[0] else auxiliary_space.two_level(A, nodes, cycle)


def _curl_preconditioner(system: System) -> auxiliary_space.Action:
    """For (φ curl, curl) + (·, ·): the right-hand side is orthogonal to gradients, on which alone
    the mass makes a difference, and so is every direction of the iteration."""
    A = (system.stiffness + system.mass).tocsr()
    complex_, free = system.complex, system.free
    if len(system.interior_nodes) == 0:
        return lambda r: r / A.diagonal()[free]
    if complex_.order:
        return second_order_preconditioner(A, complex_, system.phi, free)
    return hcurl_preconditioner(A, complex_.mesh, system.phi, free=free).matvec
