"""Nédélec elements fitted to scattered samples, for comparison with nets given the same.

Minimise over V_h

    |Ω|/N Σ_i |u_h(x_i) − u_i|² + ε (‖curl u_h‖² + ‖u_h‖²),

by its sparse normal equations. Without ε, edges of cells that hold no sample would be free; with
it they take the values of least energy. Measured on `maxwell` with 12 000 samples (N0, error on
held-out points): ε = 1e-6 and 1e-8 agree in three digits up to n = 4 (4.05e-3); at n = 6, the best
mesh (3.7e-3), 1e-6 is 1 % better; at n = 8, one sample per cell, both have run out of data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from base.errors import UserError
from fem import elements, meshes
from fem.choice import checked_place, order_option
from fem.solutions import Solution
from fem.spaces import Array, How

REGULARISATION = 1e-6


@dataclass(frozen=True, kw_only=True)
class Fit(Solution):
    """A field fitted to samples, callable at points of the mesh."""

    dofs_without_data: int
    rms_residual: float  # (1/N Σ |u_h(x_i) − u_i|²)^½


def fit(
    points: Array,
    values: Array,
    mesh: Any,
    *,
    element: str = "N0",
    order: int | None = None,
    regularisation: float = REGULARISATION,
    tol: float = 1e-8,
) -> Fit:
    """u_h ≈ values (3, N) at points (3, N) of a mesh of the element's cells."""
    declared = elements.get(element)
    able = declared.ability("fit")
    points, values = _checked(points, values)
    if not regularisation > 0.0:
        raise UserError(
            f"regularisation must be positive, got {regularisation}: edges without samples "
            "would be undetermined"
        )
    place = checked_place(None, mesh, declared)
    options = order_option(declared, order, place)
    found: Fit = able.run(
        points, values, **place, element=element, regularisation=regularisation,
        how=How(tol=tol), **options,
    )  # fmt: skip
    return found


def covering_cylinder(n: int) -> Any:
    """`meshes.cylinder` widened until its polygon of 8n sides holds the whole disc r ≤ 1."""
    mesh = meshes.cylinder(n)
    wider = 1.0 / np.cos(np.pi / (8 * n)) + 1e-12
    return type(mesh)(mesh.p * np.array([[wider], [wider], [1.0]]), mesh.t)


def _checked(points: Array, values: Array) -> tuple[Array, Array]:
    points, values = np.asarray(points, dtype=float), np.asarray(values, dtype=float)
    if points.ndim != 2 or points.shape[0] != 3 or points.shape[1] == 0:
        raise UserError(f"samples need points of shape (3, N), got {points.shape}")
    if values.shape != points.shape:
        raise UserError(
            f"samples need values of the shape of the points, {points.shape}, got {values.shape}"
        )
    if not np.isfinite(points).all() or not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(points + values).all(axis=0))
        raise UserError(f"sample {int(bad[0])} is not finite ({len(bad)} in all); leave it out")
    return points, values
