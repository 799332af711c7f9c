"""Kikuchi's mixed problem on a box of bricks: three solves in the modes of `fem.spaces.bricks.box`.

The potential p_h and the gradient that fixes the divergence are divisions. The curl-curl system is
solved by conjugate gradients, in variables in which the norm of the residual is the energy norm of
the error for φ = 1; they start from the solution for φ = 1, so that the lifted boundary data, whose
curl is huge on thin bricks, never enter a tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.solvers.cg import MatrixSystem, conjugate_gradients
from fem.spaces import Array, How, LinearSolve
from fem.spaces.bricks.box import BoxModes, flat
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.tensor import Family, Grid, Scalar, combine, curl, moments, values
from fem.spaces.tets.mixed import positive

if TYPE_CHECKING:
    from fem.boundary_value import BoundaryValueProblem

Term = tuple[Sequence[Array], Family]  # coefficients of a field and the tables they belong to
ROUNDING = 1e-13  # the p-version's errors go down to rounding, and an iteration costs little


class WeightedCurls:
    """X ↦ (φ curl u, curl v), matrix-free."""

    def __init__(self, box: BoxModes, grid: Grid, phi: Scalar) -> None:
        self._box, self._family, self._grid = box, box.curls(grid), grid
        self._weights = [(slab, phi(points) * weights) for slab, points, weights in grid.slabs()]

    def of(self, *terms: Term) -> Array:
        """(φ Σ w, curl v) for fields w given by coefficients and the tables they belong to."""
        total = np.zeros_like(self._box.kappa)
        for slab, weights in self._weights:
            field = _sum(terms, slab)
            total += np.stack(moments(field * weights, self._family.cut(slab)))
        return -self._box.curl(total)

    def norm(self, *terms: Term) -> float:
        """‖φ^½ Σ w‖."""
        total = 0.0
        for slab, weights in self._weights:
            total += float((_sum(terms, slab) ** 2 * weights).sum())
        return total**0.5

    def __call__(self, X: Array) -> Array:
        return self.of(self.term(X))

    def term(self, X: Array) -> Term:
        """curl of the modes X, as `of` takes it."""
        return list(self._box.curl(X)), self._family

    def lifted(self, parts: list[Array]) -> Term:
        """curl of a field in V and Q, as `of` takes it."""
        D = [axis.derivative for axis in self._grid.mesh.axes]
        return curl(parts, D), self._grid.curls


def _sum(terms: Sequence[Term], slab: slice) -> Array:
    first, *others = (values(X, family.cut(slab)) for X, family in terms)
    for other in others:
        first += other
    return first


def solve_box(
    mesh: BrickMesh,
    problem: BoundaryValueProblem,
    boundary: Array,
    how: How,
) -> dict[str, Any]:
    """u_h = u_g + u_0 with u_0 in the modes; `boundary` holds the coefficients of u_g."""
    box = BoxModes(mesh, mesh.held)
    grid, fine = Grid.on(mesh), Grid.on(mesh, problem.singular_edge)
    lift = mesh.split(boundary)
    load = np.stack(fine.load(problem.f, box.space(fine)))
    p = box.poisson(box.divergence(load))
    solved = _curl_curl(box, grid, problem.phi, lift, box.without_gradients(load), how)
    source = np.zeros_like(p)
    if problem.rho is not None:
        source = np.where(box.potentials, fine.scalar_load(problem.rho, box.scalars(fine)), 0.0)
    gauss = -source - box.divergence(box.project(lift) + solved.x)
    x = boundary + flat(box.coefficients(solved.x + box.kappa * box.poisson(gauss)))
    u = box.project(mesh.split(x))
    scale = np.sqrt(box.squares) * max(float(np.linalg.norm(u)), 1e-300)
    return {
        "x": x,
        "multiplier": combine(p, *(m.C for m in box.modes)).ravel(),
        "multiplier_norm": float(np.linalg.norm(box.kappa * p)),
        "divergence": float(abs((source + box.divergence(u)) / scale).max(initial=0.0)),
        "iterations": solved.iterations,
        "residual": solved.residual,
    }


def _curl_curl(
    box: BoxModes,
    grid: Grid,
    phi: Scalar,
    lift: list[Array],
    load: Array,
    how: How,
) -> LinearSolve:
    """(φ curl(u_g + u_0), curl v) = load, which has no gradient part, for u_0 in the modes."""
    K = WeightedCurls(box, grid, positive(phi))
    curl_lift = K.lifted(lift)
    start = box.solve_curl_curl(load - box.project_curl(curl_lift[0]))
    scale = np.sqrt(box.squares)

    def apply(y: Array) -> Array:
        return (K(y.reshape(3, *scale.shape) / scale) / scale).ravel()

    def precondition(r: Array) -> Array:
        return box.without_gradients(r.reshape(3, *scale.shape)).ravel()

    terms = (curl_lift, K.term(start))
    residual = precondition(((load - K.of(*terms)) / scale).ravel())
    size = K.norm(*terms)
    solved = conjugate_gradients(
        MatrixSystem(apply, precondition),
        residual,
        (start * scale).ravel(),
        replace(how, tol=min(how.tol, ROUNDING)),
        norm_b=max(size, 1e-300),
    )
    return LinearSolve(solved.x.reshape(start.shape) / scale, solved.iterations, solved.residual)
