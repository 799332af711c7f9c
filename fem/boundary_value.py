"""The boundary-value problem curl(φ curl u) = f, div u = ρ in Ω, u × n = g on ∂Ω, on any tets.

Kikuchi's mixed form (1987; Monk 2003, ch. 7): u_h in Nédélec's space with the trace g, p_h in the
Lagrange space with zero trace, and for all v, q without trace

    (φ curl u_h, curl v) + (∇p_h, v) = (f, v),      (u_h, ∇q) = −(ρ, q).

v = ∇q shows that p_h = 0 up to quadrature where div f = 0, and that three symmetric positive
solves in a row do the same as the saddle point: the Laplacian for p_h, the consistent singular
curl-curl system for some u, the Laplacian for the gradient that makes it divergence-free.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from fem import memory, meshes
from fem.errors import InputError
from fem.solvers import auxiliary_space
from fem.spaces import Array, Field, Line, Progress
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.dofs import Trace, gradient_dofs, trace_dofs
from fem.spaces.tets.second_order import second_order_preconditioner

ORDERS = {"N0": 0, "N1": 1}
BYTES_PER_CELL = {"N0": 6_000, "N1": 24_000}
DIRECT_UP_TO = 6_000  # dofs: the direct solve takes 1 s there, and its fill grows like dofs^1.5


@dataclass(frozen=True, kw_only=True)
class BoundaryValueProblem:
    """The data. Where g contains the trace of a singular gradient, that part is better given by
    its `potential` ψ (g then without ∇ψ × n): ψ(b) − ψ(a) needs no quadrature."""

    f: Field
    phi: Callable[[Array], Array]
    g: Trace
    rho: Callable[[Array], Array] | None = None
    grad_phi: Field | None = None  # for the error estimator only
    potential: Callable[[Array], Array] | None = None
    singular_edge: Line | None = None  # of f or u, for the rules


def trace_of(u: Field) -> Trace:
    """g = u × n."""
    return lambda x, n: np.cross(u(x), n, axis=0)


@dataclass(frozen=True, kw_only=True)
class BoundaryValueSolution:
    """u_h and p_h, and how well the discrete equations hold."""

    n: int | None
    element: str
    solver: str
    complex: TetComplex
    x: Array
    multiplier: Array  # coefficients of p_h in the Lagrange space
    multiplier_norm: float  # ‖∇p_h‖
    divergence: float  # max |(u_h, ∇q) + (ρ, q)| over nodal q, relative to ‖u_h‖ ‖∇q‖
    iterations: int  # of all conjugate gradients together
    residual: float
    seconds: dict[str, float]

    @property
    def dofs(self) -> int:
        return self.complex.dofs + self.complex.gradient.shape[1]

    @cached_property
    def h(self) -> float:
        return meshes.diameter(self.complex.mesh.p, self.complex.mesh.t)

    def __call__(self, points: Array) -> Array:
        return self.complex.evaluate(self.x, points)

    def curl(self, points: Array) -> Array:
        return self.complex.evaluate_curl(self.x, points)

    def errors(
        self, u: Field, curl_u: Field, singular_edge: Line | None = None
    ) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl): told u only now."""
        return self.complex.errors(
            self.x, u, curl_u, points=load_points(self.complex) + 1, singular_edge=singular_edge
        )


def solve_boundary_value(
    problem: BoundaryValueProblem,
    n: int | None = None,
    *,
    mesh: Any = None,
    element: str = "N0",
    solver: str = "auto",
    tol: float = 1e-9,
    progress: Progress | None = None,
) -> BoundaryValueSolution:
    """On the unit cube with n cells per side (Kuhn tets) or on a mesh of tets.

    `solver`: "direct" factorises the saddle point, "spd" does the three solves, "auto" takes the
    first for small meshes. N0 converges like h, N1 like h².
    """
    refuse_beyond_memory(n, mesh, element)
    complex_ = _complex(n, mesh, element)
    if solver == "auto":
        solver = "direct" if complex_.dofs <= DIRECT_UP_TO else "spd"
    if solver not in SOLVERS:
        raise InputError(f"solver must be auto, {' or '.join(SOLVERS)}, got {solver!r}")
    started = time.perf_counter()
    system = System.assemble(complex_, problem)
    assembled = time.perf_counter()
    free, p, iterations, residual = SOLVERS[solver](system, tol, progress)
    seconds = {"assemble": assembled - started, "solve": time.perf_counter() - assembled}
    x = system.lifted(free)
    multiplier = np.zeros(complex_.gradient.shape[1])
    multiplier[system.interior_scalars] = p
    return BoundaryValueSolution(
        n=n,
        element=element,
        solver=solver,
        complex=complex_,
        x=x,
        multiplier=multiplier,
        multiplier_norm=float(np.sqrt(max(p @ (system.laplacian @ p), 0.0))),
        divergence=system.divergence(x),
        iterations=iterations,
        residual=residual,
        seconds=seconds,
    )


@dataclass(frozen=True, eq=False)
class System:
    """Matrices over the free dofs and the data moved to the right-hand sides."""

    complex: TetComplex
    phi: Callable[[Array], Array]
    stiffness: sp.csr_matrix
    mass: sp.csr_matrix
    boundary: Array  # coefficients of the lifted trace, zero on free dofs
    load: Array  # (f, v)
    scalar_load: Array  # (ρ, q)

    @classmethod
    def assemble(cls, complex_: TetComplex, problem: BoundaryValueProblem) -> System:
        points = load_points(complex_)
        boundary = trace_dofs(complex_, problem.g)
        if problem.potential is not None:
            part = gradient_dofs(complex_, problem.potential)
            boundary[complex_.boundary_dofs] += part[complex_.boundary_dofs]
        scalars = complex_.gradient.shape[1]
        return cls(
            complex=complex_,
            phi=problem.phi,
            stiffness=complex_.stiffness(_positive(problem.phi)),
            mass=complex_.mass(),
            boundary=boundary,
            load=complex_.load(problem.f, points, problem.singular_edge),
            scalar_load=np.zeros(scalars)
            if problem.rho is None
            else complex_.scalar_load(problem.rho, points),
        )

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
    def gradient(self) -> sp.csr_matrix:
        """G from interior scalars to all dofs (its rows outside `free` are zero)."""
        return self.complex.gradient[:, self.interior_scalars].tocsr()

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
        """−(ρ, q) − (u, ∇q) for the interior q."""
        return -self.scalar_load[self.interior_scalars] - self.gradient.T @ (self.mass @ x)

    def divergence(self, x: Array) -> float:
        if len(self.interior_scalars) == 0:
            return 0.0
        scale = np.sqrt(self.laplacian.diagonal() * max(x @ (self.mass @ x), 1e-300))
        return float((abs(self.gauss_residual(x)) / scale).max())


Solved = tuple[Array, Array, int, float]  # u on free dofs, p, iterations, residual


def solve_direct(system: System, tol: float, progress: Progress | None) -> Solved:
    """The saddle point by a sparse factorisation: the oracle."""
    G = (system.mass @ system.gradient)[system.free]
    matrix = sp.block_array([[system.free_stiffness, G], [G.T, None]], format="csc")
    b = np.concatenate([system.free_load, system.gauss_residual(system.boundary)])
    solution = splu(matrix).solve(b)
    scale = float(np.linalg.norm(b)) or 1.0
    u, p = np.split(solution, [len(system.free)])
    return u, p, 0, float(np.linalg.norm(b - matrix @ solution)) / scale


def solve_spd(system: System, tol: float, progress: Progress | None) -> Solved:
    """Laplacian, curl-curl, Laplacian, each by preconditioned conjugate gradients."""
    poisson = _poisson_preconditioner(system)
    G = system.gradient
    p, first, _ = _poisson(system, G.T @ system.load, poisson, tol)
    b = system.free_load - (system.mass @ (G @ p))[system.free]
    middle = auxiliary_space.solve(
        system.free_stiffness, b, _curl_preconditioner(system), tol=tol, progress=progress
    )
    chi, last, _ = _poisson(system, system.gauss_residual(system.lifted(middle.x)), poisson, tol)
    u = middle.x + (G @ chi)[system.free]
    return u, p, first + middle.iterations + last, middle.residual


SOLVERS = {"direct": solve_direct, "spd": solve_spd}


def _poisson(
    system: System, b: Array, precondition: auxiliary_space.Action, tol: float
) -> tuple[Array, int, float]:
    if len(b) == 0:
        return b, 0, 0.0
    return auxiliary_space.solve(system.laplacian, b, precondition, tol=tol)


def _poisson_preconditioner(system: System) -> auxiliary_space.Action:
    nodes, A = system.interior_nodes, system.laplacian
    if len(nodes) == 0:  # one cell per side: no node inside
        return lambda r: r / A.diagonal()
    cycle = auxiliary_space.multigrid(A[nodes][:, nodes].tocsr())
    return cycle if system.complex.order == 0 else auxiliary_space.two_level(A, nodes, cycle)


def _curl_preconditioner(system: System) -> auxiliary_space.Action:
    """For (φ curl, curl) + (·, ·): the right-hand side is orthogonal to gradients, on which alone
    the mass makes a difference, and so is every direction of the iteration."""
    A = (system.stiffness + system.mass).tocsr()
    complex_, free = system.complex, system.free
    if len(system.interior_nodes) == 0:
        return lambda r: r / A.diagonal()[free]
    if complex_.order:
        return second_order_preconditioner(A, complex_, system.phi, free)
    return auxiliary_space.hiptmair_xu(A, complex_.mesh, system.phi, free)


def load_points(complex_: TetComplex) -> int:
    """Gauss points per direction for data: the coarser the mesh, the more."""
    cells = complex_.mesh.nelements
    return 6 if cells < 1000 else 4 if cells < 60_000 else 3


def refuse_beyond_memory(n: int | None, mesh: Any, element: str) -> None:
    """InputError before anything is allocated that would not fit."""
    cells = 6 * n**3 if n is not None else mesh.t.shape[1] if mesh is not None else 0
    need = BYTES_PER_CELL.get(element, 0) * cells
    if need > memory.available_bytes():
        raise InputError(
            f"{cells} cells of {element} need about {need / 2**30:.1f} GiB, "
            f"{memory.available_bytes() / 2**30:.1f} GiB are to be had; take a coarser mesh"
        )


def _complex(n: int | None, mesh: Any, element: str) -> TetComplex:
    if element not in ORDERS:
        raise InputError(f"the boundary-value problem takes N0 or N1 (tetrahedra), got {element!r}")
    if (n is None) == (mesh is None):
        raise InputError("give either n (cells per side of the cube) or a mesh")
    if n is not None and n < 1:
        raise InputError(f"n must be at least 1 (cells per side), got {n}")
    if mesh is not None:
        meshes.check(mesh)
    return TetComplex.on(meshes.cube(n) if n is not None else mesh, ORDERS[element])


def _positive(phi: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def checked(x: Array) -> Array:
        values = np.asarray(phi(x), dtype=float)
        if not values.min() > 0.0:
            where = x.reshape(3, -1)[:, int(values.argmin())]
            at = ", ".join(f"{c:.4g}" for c in where)
            raise InputError(f"phi must be positive, got {values.min():.4g} at x = ({at})")
        return values

    return checked
