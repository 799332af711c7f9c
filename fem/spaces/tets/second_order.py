"""The best approximation by second-order Nédélec elements, by conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem.preconditioner import hcurl_preconditioner
from fem.solvers import auxiliary_space
from fem.spaces import PLAIN, Array, How, LinearSolve
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.space import ComplexSpace


@dataclass(frozen=True)
class SecondOrderSpace(ComplexSpace):
    """20 dofs per tetrahedron; conjugate gradients with the lowest order as coarse space."""

    order: int = 1

    def predicted_bytes(self, threads: int = 1) -> int:
        """Matrix (280 entries per cell, twice while summing), triplets, multigrid, vectors."""
        cells = 6 * self.n**3 if self.n else self.mesh.t.shape[1]
        return int(8_000 * cells + 6e8)

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        matrix = self.complex.stiffness_and_mass()
        precondition = second_order_preconditioner(matrix, self.complex)
        return auxiliary_space.solve(matrix, b, precondition, how)


def second_order_preconditioner(
    A: Any, complex_: TetComplex, curl_weight: Any = 1.0, free: Indices | None = None
) -> auxiliary_space.Action:
    """Hiptmair–Xu on the N₀ dofs (the even ones of the edges), Gauss–Seidel on all.

    A is over all dofs; where essential conditions leave only `free` ones, it acts on those.
    """
    edges = np.arange(complex_.edges.shape[1])
    lowest = A[2 * edges][:, 2 * edges].tocsr()
    if free is None:
        coarse = hcurl_preconditioner(lowest, complex_.mesh, curl_weight)
        return auxiliary_space.two_level(A, 2 * edges, coarse.matvec)
    place = np.flatnonzero((free < 2 * len(edges)) & (free % 2 == 0))
    coarse = hcurl_preconditioner(lowest, complex_.mesh, curl_weight, free=free[place] // 2)
    return auxiliary_space.two_level(A[free][:, free].tocsr(), place, coarse.matvec)
