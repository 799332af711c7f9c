"""Nédélec elements fitted to scattered samples: what FEM does when told exactly what nets are told.

Minimise over V_h

    |Ω|/N Σ_i |u_h(x_i) − u_i|² + ε (‖curl u_h‖² + ‖u_h‖²),

by its sparse normal equations. Without ε, edges of cells that hold no sample would be free; with
it they take the values of least energy. Measured on `maxwell` with 12 000 samples (N0, error on
held-out points): ε = 1e-6 and 1e-8 agree in three digits up to n = 4 (4.05e-3); at n = 6, the best
mesh (3.7e-3), 1e-6 is 1 % better; at n = 8, one sample a cell, both have run out of data.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fem import meshes
from fem.errors import InputError
from fem.solvers import auxiliary_space
from fem.spaces import Array
from fem.spaces.tets import tables
from fem.spaces.tets.complex import TetComplex

REGULARISATION = 1e-6


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A field fitted to samples, callable at points of the mesh."""

    complex: TetComplex
    x: Array
    dofs: int
    dofs_without_data: int
    rms_residual: float  # (1/N Σ |u_h(x_i) − u_i|²)^½
    iterations: int
    seconds: float

    def __call__(self, points: Array) -> Array:
        return self.complex.evaluate(self.x, points)

    def curl(self, points: Array) -> Array:
        return self.complex.evaluate_curl(self.x, points)


def fit(
    points: Array,
    values: Array,
    mesh: Any,
    *,
    order: int = 0,
    regularisation: float = REGULARISATION,
    tol: float = 1e-8,
) -> Fit:
    """u_h ≈ values (3, N) at points (3, N) of a mesh of tets; order 0 is N0, order 1 is N1."""
    points, values = _checked(points, values)
    if not regularisation > 0.0:
        raise InputError(
            f"regularisation must be positive, got {regularisation}: edges without samples "
            "would be undetermined"
        )
    started = time.perf_counter()
    meshes.check(mesh)
    complex_ = TetComplex.on(mesh, order)
    P = sampling_matrix(complex_, points)
    weight = complex_.geometry[1].sum() / points.shape[1]
    energy = complex_.stiffness() + complex_.mass()
    normal = (weight * (P.T @ P) + regularisation * energy).tocsr()
    # Gauss–Seidel alone: a fit is nearly a mass matrix, which has no small eigenvalues to miss.
    precondition = auxiliary_space.gauss_seidel(normal)
    x, iterations, _ = auxiliary_space.solve(
        normal, weight * (P.T @ values.T.ravel()), precondition, tol=tol, max_iterations=5000
    )
    return Fit(
        complex=complex_,
        x=x,
        dofs=complex_.dofs,
        dofs_without_data=int((np.diff(P.tocsc().indptr) == 0).sum()),
        rms_residual=float(np.sqrt(((P @ x - values.T.ravel()) ** 2).sum() / points.shape[1])),
        iterations=iterations,
        seconds=time.perf_counter() - started,
    )


def sampling_matrix(complex_: TetComplex, points: Array) -> sp.csr_matrix:
    """P: coefficients to values at the points, three rows a point."""
    cells, lam = complex_.locate(points)
    T = tables.nedelec_values(lam, complex_.order)
    entries = np.einsum("inv,nvd->ndi", T, complex_.geometry[0][cells])
    columns = np.broadcast_to(complex_.element_dofs[:, cells].T[:, None, :], entries.shape)
    rows = np.broadcast_to(np.arange(3 * len(cells)).reshape(-1, 3, 1), entries.shape)
    shape = (3 * len(cells), complex_.dofs)
    return sp.csr_matrix((entries.ravel(), (rows.ravel(), columns.ravel())), shape=shape)


def covering_cylinder(n: int) -> Any:
    """`meshes.cylinder` widened until its polygon of 8n sides holds the whole disc r ≤ 1."""
    mesh = meshes.cylinder(n)
    wider = 1.0 / np.cos(np.pi / (8 * n)) + 1e-12
    return type(mesh)(mesh.p * np.array([[wider], [wider], [1.0]]), mesh.t)


def _checked(points: Array, values: Array) -> tuple[Array, Array]:
    points, values = np.asarray(points, dtype=float), np.asarray(values, dtype=float)
    if points.ndim != 2 or points.shape[0] != 3 or points.shape[1] == 0:
        raise InputError(f"samples need points of shape (3, N), got {points.shape}")
    if values.shape != points.shape:
        raise InputError(
            f"samples need values of the shape of the points, {points.shape}, got {values.shape}"
        )
    if not np.isfinite(points).all() or not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(points + values).all(axis=0))
        raise InputError(f"sample {int(bad[0])} is not finite ({len(bad)} in all); leave it out")
    return points, values
