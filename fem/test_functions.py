"""Nédélec functions of lowest order as test functions: a residual against each, by quadrature.

For fields outside the finite-element space that are tested with H₀(curl): w, curl w at the
points of a rule, as sparse matrices that apply the integrals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from fem.spaces import Array
from fem.spaces.tets import tables
from fem.spaces.tets.complex import BarycentricRule, TetComplex, barycentric


@dataclass(frozen=True, eq=False)
class TestFunctions:
    """R functions w_i of an edge inside the mesh each, with w_i × n = 0 on its boundary.

    `values @ q` is ∫ q·w_i and `curls @ q` is ∫ q·curl w_i, for q at the Q points of the rule, its
    three components one after the other.
    """

    __test__ = False  # not a test case of pytest

    points: Array  # (3, Q)
    weights: Array  # (Q,)
    values: csr_array  # (R, 3·Q)
    curls: csr_array

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def norms(self, phi: Array) -> Array:
        """√∫ φ (|w|² + |curl w|²), for φ at the points."""
        weight = np.tile(phi / self.weights, 3)  # the matrices carry the weights once
        squares = self.values.multiply(self.values) + self.curls.multiply(self.curls)
        return np.sqrt(squares @ weight)


def lowest_order(mesh: Any, degree: int = 4) -> TestFunctions:
    """The N₀ functions of a tetrahedral mesh, with rules exact to `degree` on its cells."""
    from skfem.quadrature import get_quadrature
    from skfem.refdom import RefTet

    complex_ = TetComplex.on(mesh)
    rule = barycentric(*get_quadrature(RefTet, degree))
    inside = np.setdiff1d(np.arange(complex_.dofs), complex_.boundary_dofs)
    volumes = complex_.geometry[1]
    values, curls = (matrix[inside] for matrix in matrices(complex_, rule))
    points = complex_.points(np.arange(len(volumes)), rule).reshape(3, -1)
    return TestFunctions(points, np.outer(volumes, rule.weights).ravel(), values, curls)


def matrices(complex_: TetComplex, rule: BarycentricRule) -> tuple[csr_array, csr_array]:
    """∫ · w and ∫ · curl w for every function w, (dofs, 3·Q), Q points cell by cell."""
    gradients, volumes = complex_.geometry
    cells, each = len(volumes), len(rule.weights)
    weights = volumes[:, None] * rule.weights
    T, R = tables.nedelec_values(rule.lam, 0), tables.nedelec_curls(rule.lam, 0)
    directions = complex_.curl_directions(np.arange(cells))
    at_points = (
        np.einsum("iqv,cvd->idcq", T, gradients),
        np.einsum("iqp,cpd->idcq", R, directions),
    )
    shape = at_points[0].shape
    rows = np.broadcast_to(complex_.element_dofs[:, None, :, None], shape)
    columns = np.broadcast_to(np.arange(3 * cells * each).reshape(1, 3, cells, each), shape)
    where = (rows.ravel(), columns.ravel())
    size = (complex_.dofs, 3 * cells * each)
    first, second = (csr_array(((part * weights).ravel(), where), size) for part in at_points)
    return first, second
