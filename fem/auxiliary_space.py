"""Preconditioners for H(curl) and H¹ on any mesh, built from algebra: A, a gradient, coordinates.

Hiptmair and Xu (SIAM J. Numer. Anal. 45, 2007): every v in the lowest-order Nédélec space is, up
to what a smoother removes, Π z + G p with z a vector of nodal functions and p a nodal potential.
Algebraic multigrid solves the two nodal problems ΠᵀAΠ and GᵀAG; symmetric Gauss–Seidel smooths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fem.cg import MatrixSystem, conjugate_gradients
from fem.space import Array, LinearSolve, Progress

Action = Callable[[Array], Array]
Indices = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Subspace:
    """A correction x ← x + P S Pᵀ (b − A x), S an approximate inverse of PᵀAP."""

    prolongation: sp.csr_matrix
    restriction: sp.csr_matrix
    solve: Action

    @classmethod
    def of(cls, A: sp.csr_matrix, P: sp.csr_matrix, solve: Action | None = None) -> Subspace:
        restriction = P.T.tocsr()
        return cls(P, restriction, solve or multigrid((restriction @ A @ P).tocsr()))


def multigrid(A: sp.csr_matrix) -> Action:
    """One symmetric V-cycle of classical algebraic multigrid, whose set-up draws no numbers."""
    from pyamg import ruge_stuben_solver

    hierarchy = ruge_stuben_solver(A, max_coarse=200)
    return hierarchy.aspreconditioner(cycle="V").matvec


def subspace_correction(A: sp.csr_matrix, subspaces: Sequence[Subspace]) -> Action:
    """Gauss–Seidel, the subspaces forth and back, Gauss–Seidel: symmetric and positive."""
    from pyamg.relaxation.relaxation import gauss_seidel

    there_and_back = [*subspaces, *reversed(subspaces[:-1])]

    def apply(b: Array) -> Array:
        x = np.zeros_like(b)
        gauss_seidel(A, x, b, sweep="forward")
        for space in there_and_back:
            x += space.prolongation @ space.solve(space.restriction @ (b - A @ x))
        gauss_seidel(A, x, b, sweep="backward")
        return x

    return apply


def hiptmair_xu(
    A: sp.csr_matrix, G: sp.csr_matrix, p: Array, free_nodes: Indices | None = None
) -> Action:
    """For A ≈ (φ curl, curl) + (·, ·) on lowest-order edges: G (edges × nodes), node positions p.

    With essential conditions A and G hold the free edges and, of the nodes, the free ones.
    Π has per edge (a, b) the row ½ (x_b − x_a)_d in component d, at both ends: |G| ∘ (G x_d)/2.
    """
    columns = slice(None) if free_nodes is None else free_nodes
    mean = abs(G) / 2.0
    potentials = G[:, columns].tocsr()
    nodal = [sp.diags(G @ p[d]) @ mean for d in range(3)]
    components = [component[:, columns].tocsr() for component in nodal]
    cycles = [multigrid((P.T @ A @ P).tocsr()) for P in components]
    size = components[0].shape[1]

    def solve_components(r: Array) -> Array:
        return np.concatenate([cycles[d](r[d * size : (d + 1) * size]) for d in range(3)])

    vectors = sp.hstack(components, format="csr")
    return subspace_correction(
        A, [Subspace.of(A, potentials), Subspace.of(A, vectors, solve_components)]
    )


def two_level(A: sp.csr_matrix, coarse: Indices, solve: Action) -> Action:
    """For hierarchical bases: Gauss–Seidel on all dofs, `solve` on the lowest-order ones.

    What the lowest order leaves is local (edge and face bubbles), so that Gauss–Seidel on them
    converges at a rate that no mesh width enters.
    """
    columns = np.arange(len(coarse))
    P = sp.csr_matrix((np.ones(len(coarse)), (coarse, columns)), (A.shape[0], len(coarse)))
    return subspace_correction(A, [Subspace.of(A, P, solve)])


def solve(
    A: sp.csr_matrix,
    b: Array,
    precondition: Action,
    *,
    tol: float,
    x0: Array | None = None,
    max_iterations: int = 500,
    progress: Progress | None = None,
) -> LinearSolve:
    """Conjugate gradients from x0 (or zero)."""
    x = np.zeros_like(b) if x0 is None else np.array(x0, dtype=float)
    system = MatrixSystem(lambda p: A @ p, precondition)
    return conjugate_gradients(
        system,
        b - A @ x,
        x,
        tol=tol,
        norm_b=float(np.linalg.norm(b)),
        max_iterations=max_iterations,
        progress=progress,
    )
