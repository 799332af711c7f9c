"""The best approximation by second-order Nédélec elements on any tetrahedral mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem import meshes
from fem.preconditioner import hcurl_preconditioner
from fem.solvers import auxiliary_space
from fem.spaces import PLAIN, Array, Field, How, LinearSolve
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.dofs import canonical_dofs

# Gauss points per direction: degree 9 in the load and 11 in the error on coarse meshes, degrees
# 7 and 9 from n = 8 on; helix then keeps six digits at every n.
COARSE_CELLS = 3000


@dataclass(frozen=True)
class SecondOrderSpace:
    """20 dofs per tetrahedron; conjugate gradients with the lowest order as coarse space."""

    n: int | None = None
    mesh: Any = None

    @cached_property
    def complex(self) -> TetComplex:
        return TetComplex.on(meshes.cube(self.n) if self.n else self.mesh, order=1)

    @property
    def dofs(self) -> int:
        if self.n is None:
            return self.complex.dofs
        return 2 * (7 * self.n**3 + 9 * self.n**2 + 3 * self.n) + 24 * self.n**3 + 12 * self.n**2

    @cached_property
    def h(self) -> float:
        return self.complex.h

    def predicted_bytes(self, threads: int = 1) -> int:
        """Matrix (280 entries per cell, twice while summing), triplets, multigrid, vectors."""
        cells = 6 * self.n**3 if self.n else self.mesh.t.shape[1]
        return int(8_000 * cells + 6e8)

    def _points(self, extra: int = 0) -> int:
        return (5 if self.complex.mesh.nelements <= COARSE_CELLS else 4) + extra

    @cached_property
    def matrix(self) -> Any:
        """(curl v_j, curl v_i) + (v_j, v_i)."""
        return self.complex.stiffness() + self.complex.mass()

    @cached_property
    def _precondition(self) -> auxiliary_space.Action:
        return second_order_preconditioner(self.matrix, self.complex)

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        value = self.complex.load(u, self._points(), how.singular_edge)
        return value + self.complex.curl_load(curl_u, self._points(), how.singular_edge)

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        return auxiliary_space.solve(self.matrix, b, self._precondition, how)

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        return self.complex.errors(x, u, curl_u, how, self._points(1))

    def evaluate(self, x: Array, points: Array) -> Array:
        return self.complex.evaluate(x, points)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return self.complex.evaluate_curl(x, points)

    def interpolate(self, u: Field) -> Array:
        """Moments on edges and faces; see `fem.spaces.tets.dofs`."""
        return canonical_dofs(self.complex, u)


def second_order_preconditioner(
    A: Any, complex_: TetComplex, curl_weight: Any = 1.0, free: Indices | None = None
) -> auxiliary_space.Action:
    """Hiptmair–Xu on the N₀ dofs (the even ones of the edges), Gauss–Seidel on all.

    A is over all dofs; where essential conditions leave only `free` ones, it acts on those.
    """
    edges = np.arange(complex_.mesh.nedges)
    lowest = A[2 * edges][:, 2 * edges].tocsr()
    if free is None:
        coarse = hcurl_preconditioner(lowest, complex_.mesh, curl_weight)
        return auxiliary_space.two_level(A, 2 * edges, coarse.matvec)
    place = np.flatnonzero((free < 2 * len(edges)) & (free % 2 == 0))
    coarse = hcurl_preconditioner(lowest, complex_.mesh, curl_weight, free=free[place] // 2)
    return auxiliary_space.two_level(A[free][:, free].tocsr(), place, coarse.matvec)
