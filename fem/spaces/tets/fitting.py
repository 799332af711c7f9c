"""Fits on tetrahedra: the sampling matrix and the sparse normal equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fem import memory
from fem.least_squares import Fit
from fem.solutions import Clock
from fem.solvers import auxiliary_space
from fem.spaces import Array, How
from fem.spaces.tets import tables
from fem.spaces.tets.complex import TetComplex

MAX_ITERATIONS = 5000


def fit_on_tets(
    points: Array,
    values: Array,
    mesh: Any,
    *,
    degree: int,
    element: str,
    regularisation: float,
    how: How,
) -> Fit:
    """Fit by N0 (`degree` 0) or N1 (1)."""
    memory.reset_peak()
    clock = Clock()
    complex_ = TetComplex.on(mesh, degree)
    P = sampling_matrix(complex_, points)
    weight = complex_.geometry[1].sum() / points.shape[1]
    energy = complex_.stiffness() + complex_.mass()
    normal = (weight * (P.T @ P) + regularisation * energy).tocsr()
    # Gauss–Seidel alone: a fit is nearly a mass matrix, which has no small eigenvalues to miss.
    precondition = auxiliary_space.gauss_seidel(normal)
    b = weight * (P.T @ values.T.ravel())
    found = auxiliary_space.solve(normal, b, precondition, how, MAX_ITERATIONS)
    rest = P @ found.x - values.T.ravel()
    clock.lap("fit")
    return Fit(
        element=element,
        solver="gauss-seidel",
        space=complex_,
        **found._asdict(),
        seconds=clock.seconds,
        peak_bytes=memory.peak_bytes(),
        dofs_without_data=int((np.diff(P.tocsc().indptr) == 0).sum()),
        rms_residual=float(np.sqrt((rest**2).sum() / points.shape[1])),
    )


def sampling_matrix(complex_: TetComplex, points: Array) -> sp.csr_matrix:
    """P: coefficients to values at the points, three rows per point."""
    cells, lam = complex_.locate(points)
    T = tables.nedelec_values(lam, complex_.order)
    entries = np.einsum("inv,nvd->ndi", T, complex_.geometry[0][cells])
    columns = np.broadcast_to(complex_.element_dofs[:, cells].T[:, None, :], entries.shape)
    rows = np.broadcast_to(np.arange(3 * len(cells)).reshape(-1, 3, 1), entries.shape)
    shape = (3 * len(cells), complex_.dofs)
    return sp.csr_matrix((entries.ravel(), (rows.ravel(), columns.ravel())), shape=shape)
