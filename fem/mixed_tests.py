"""The mixed form tested with functions of a mesh, for fields that do not belong to the mesh.

For a field v, and all w of Nédélec's space N₀ and q of the hat functions, both without trace where
u × n is given and free on natural faces,

    r_w = (φ curl v, curl w) − (f, w) − ⟨φ curl u × n, w⟩,    r_q = (v, ∇q) + (ρ, q) − ⟨u·n, q⟩.

Both vanish for v = u. Their size is measured in the dual norms, sup r_w/‖w‖_{H(curl)} and
sup r_q/‖∇q‖ = |C⁻¹ r| with C Cholesky's factor of the Gram matrix: only the curl of v
is needed, its divergence only tested with ∇q.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse.linalg import splu
from skfem.quadrature import get_quadrature
from skfem.refdom import RefTet

from fem.boundary_value import BoundaryValueProblem
from fem.spaces import Array
from fem.spaces.tets.complex import TetComplex, barycentric
from fem.spaces.tets.faces import natural_loads
from fem.test_functions import matrices

DEGREE = 2  # of the rule on a cell: four points
LOAD_POINTS = 4


@dataclass(frozen=True, eq=False)
class MixedTests:
    """r = (curls @ φ curl v, gradients @ v) − data, v and curl v at the points, their components
    one after the other."""

    complex: TetComplex
    points: Array  # (3, Q)
    phi: Array  # (Q,)
    curls: sp.csr_array  # (R, 3·Q): ∫ · curl w
    gradients: sp.csr_array  # (S, 3·Q): ∫ · ∇q
    data: Array  # (R + S,)
    grams: tuple[sp.csc_matrix, sp.csc_matrix]  # of w in H(curl), of q in H¹₀

    def __len__(self) -> int:
        return len(self.data)

    def residuals(self, values: Array, curls: Array) -> Array:
        """r, from v and curl v at the points, (3, Q) each."""
        flat = (self.phi * curls).ravel()
        return np.concatenate([self.curls @ flat, self.gradients @ values.ravel()]) - self.data

    @cached_property
    def _solvers(self) -> list[Any]:
        return [splu(gram) for gram in self.grams]

    def dual_squares(self, r: Array) -> tuple[float, float]:
        """(sup r_w/‖w‖)² and (sup r_q/‖∇q‖)²."""
        parts = np.split(r, [self.curls.shape[0]])
        solved = zip(parts, self._solvers, strict=True)
        first, second = (max(float(part @ solver.solve(part)), 0.0) for part, solver in solved)
        return first, second

    def whitened(self) -> tuple[Array, Array, Array]:
        """C⁻¹ of curls, gradients and data: their sums of squares are the dual squares. Dense, for
        meshes with some hundred functions."""
        found, data = [], np.split(self.data, [self.curls.shape[0]])
        for gram, matrix, part in zip(self.grams, (self.curls, self.gradients), data, strict=True):
            C = cholesky(gram.toarray(), lower=True)
            both = np.column_stack([matrix.toarray(), part])
            found.append(solve_triangular(C, both, lower=True))
        curls, gradients = (both[:, :-1] for both in found)
        return curls, gradients, np.concatenate([both[:, -1] for both in found])


def mixed_tests(problem: BoundaryValueProblem, mesh: Any, degree: int = DEGREE) -> MixedTests:
    """The tests of a tetrahedral mesh, by a rule of that degree on its cells."""
    complex_ = TetComplex.on(mesh, 0, problem.natural)
    rule = barycentric(*get_quadrature(RefTet, degree))
    cells = np.arange(complex_.mesh.nelements)
    points = complex_.points(cells, rule).reshape(3, -1)
    phi = np.asarray(problem.phi(points), dtype=float)
    values, curls = matrices(complex_, rule)
    nodes = np.setdiff1d(np.arange(complex_.gradient.shape[1]), complex_.boundary_scalars)
    edges = np.setdiff1d(np.arange(complex_.dofs), complex_.boundary_dofs)
    G = complex_.gradient[:, nodes].tocsr()
    mass = complex_.mass()
    gram = (complex_.stiffness(problem.phi) + mass).tocsr()[edges][:, edges]
    vectors, scalars = _loads(problem, complex_)
    return MixedTests(
        complex=complex_,
        points=points,
        phi=phi,
        curls=curls[edges],
        gradients=(G.T @ values).tocsr(),
        data=np.concatenate([vectors[edges], scalars[nodes]]),
        grams=(gram.tocsc(), (G.T @ mass @ G).tocsc()),
    )


def _loads(problem: BoundaryValueProblem, complex_: TetComplex) -> tuple[Array, Array]:
    """(f, w) + ⟨φ curl u × n, w⟩ for all w and −(ρ, q) + ⟨u·n, q⟩ for all q."""
    vectors = complex_.load(problem.f, LOAD_POINTS, problem.singular_edge)
    scalars = np.zeros(complex_.gradient.shape[1])
    if problem.rho is not None:
        scalars -= complex_.scalar_load(problem.rho, LOAD_POINTS)
    if problem.natural is not None:
        edge, node = natural_loads(complex_, problem.natural, problem.singular_edge)
        vectors, scalars = vectors + edge, scalars + node
    return vectors, scalars
