"""A residual error estimator for the boundary-value problem (Beck, Hiptmair, Hoppe, Wohlmuth 2000).

With R = f − ∇p_h − curl(φ curl u_h), jumps [·] across the inner faces F of T, and the sizes
h_T = |T|^⅓, h_F = |F|^½,

    η_T² = h_T² (‖R‖² + ‖div u_h − ρ‖²) + ½ Σ_F h_F (‖[n × φ curl u_h]‖²_F + ‖[n·u_h]‖²_F)

needs the data only, never u. On a natural face the misfit of its data, not halved, replaces the
jump. The effectivity index η / ‖u − u_h‖_{H(curl)} is bounded from both sides as
h → 0. The boundary data on the other faces are interpolated; that error is not part of η.
"""

from __future__ import annotations

import numpy as np

from base.errors import UserError
from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.face_residuals import halved_jumps, natural_misfits
from fem.spaces import Array
from fem.spaces.tets import tables
from fem.spaces.tets.complex import Indices, TetComplex

COARSE_CELLS = 3000
NEEDS_GRADIENT = "the estimator needs grad_phi: curl(φ curl u) = ∇φ × curl u + φ curl² u"


def estimate(problem: BoundaryValueProblem, solution: BoundaryValueSolution) -> Array:
    """η_T of every cell; η = √Σ η_T²."""
    solution = solution.on_mesh()
    if not isinstance(solution.complex, TetComplex):
        raise UserError("the residual estimator is for tetrahedra; use solution.estimate(problem)")
    sizes = np.cbrt(solution.complex.geometry[1])
    squares = sizes**2 * _cell_residuals(problem, solution)
    squares += halved_jumps(problem, solution)
    for cells, misfit in natural_misfits(problem, solution):
        np.add.at(squares, cells, misfit)
    return np.sqrt(squares)


def total(eta: Array) -> float:
    """η = (Σ η_T²)^½."""
    return float(np.sqrt((eta**2).sum()))


def _cell_residuals(problem: BoundaryValueProblem, solution: BoundaryValueSolution) -> Array:
    """‖f − ∇p_h − curl(φ curl u_h)‖² + ‖div u_h − ρ‖² of every cell."""
    complex_, x = solution.complex, solution.x
    if problem.grad_phi is None:
        raise UserError(NEEDS_GRADIENT)
    gradient_p = complex_.gradient @ solution.multiplier
    squares = np.zeros(complex_.mesh.nelements)
    # degree 3 for N0 and 5 for N1, two more on coarse meshes, where f varies within a cell
    points = complex_.order + (3 if complex_.mesh.nelements < COARSE_CELLS else 2)
    for cells, rule in complex_.rules(points, problem.singular_edge):
        where = complex_.points(cells, rule)
        weights = rule.weights * complex_.geometry[1][cells][:, None]
        curl = complex_.curls(x, cells, rule.lam)
        strong = np.cross(problem.grad_phi(where), curl, axis=0)
        strong += problem.phi(where) * _curl_curl(complex_, x, cells)[:, :, None]
        rest = problem.f(where) - complex_.values(gradient_p, cells, rule.lam) - strong
        gauss = _divergence(complex_, x, cells, rule.lam)
        if problem.rho is not None:
            gauss = gauss - problem.rho(where)
        squares[cells] = (((rest**2).sum(axis=0) + gauss**2) * weights).sum(axis=1)
    return squares


def _curl_curl(complex_: TetComplex, x: Array, cells: Indices) -> Array:
    """curl curl u_h, constant on each cell: Σ ∂R_vw/∂λ_x ∇λ_x × (∇λ_v × ∇λ_w)."""
    slopes = tables.nedelec_curl_slopes(complex_.order)
    weights = np.einsum("ic,ipx->cpx", x[complex_.element_dofs[:, cells]], slopes)
    gradients = complex_.geometry[0][cells]
    directions = np.einsum("cpx,cxd->cpd", weights, gradients)
    return np.cross(directions, complex_.curl_directions(cells)).sum(axis=1).T


def _divergence(complex_: TetComplex, x: Array, cells: Indices, lam: Array) -> Array:
    """div u_h, (cells, points): Σ ∂T_v/∂λ_w ∇λ_v·∇λ_w, zero for order 0."""
    if complex_.order == 0:
        return np.zeros((len(cells), len(lam)))
    slopes = tables.nedelec_divergences(lam, complex_.order)
    gradients = complex_.geometry[0][cells]
    metric = np.einsum("cvd,cwd->cvw", gradients, gradients)
    local = x[complex_.element_dofs[:, cells]]
    return np.einsum("ic,iqvw,cvw->cq", local, slopes, metric, optimize=True)
