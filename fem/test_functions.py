"""Nédélec functions of lowest order as test functions: a residual against each, by quadrature.

For fields outside the finite-element space that are tested with H₀(curl): w, curl w at the
points of a rule, as sparse matrices that apply the integrals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

Array = NDArray[np.float64]


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
    """The N₀ functions of a tetrahedral mesh, with Gauss rules exact to `degree` on its cells."""
    from skfem import Basis, ElementTetN0

    basis = Basis(mesh, ElementTetN0(), intorder=degree)
    boundary = basis.get_dofs().flatten()
    inside = np.setdiff1d(np.arange(basis.N), boundary)
    number = np.full(basis.N, -1)
    number[inside] = np.arange(len(inside))
    cells, each = basis.dx.shape
    Q = cells * each
    point = np.arange(Q).reshape(cells, each)
    rows, columns, values, curls = [], [], [], []
    for k, (shape,) in enumerate(basis.basis):
        row = np.broadcast_to(number[basis.element_dofs[k]][:, None], (cells, each))
        kept = row >= 0
        for i in range(3):
            rows.append(row[kept])
            columns.append(point[kept] + i * Q)
            values.append((np.asarray(shape)[i] * basis.dx)[kept])
            curls.append((np.asarray(shape.curl)[i] * basis.dx)[kept])
    where = np.concatenate(rows), np.concatenate(columns)
    size = (len(inside), 3 * Q)
    return TestFunctions(
        np.asarray(basis.global_coordinates()).reshape(3, Q),
        basis.dx.reshape(Q),
        csr_array(coo_array((np.concatenate(values), where), size)),
        csr_array(coo_array((np.concatenate(curls), where), size)),
    )
