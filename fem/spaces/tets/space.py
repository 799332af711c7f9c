"""The best approximation by Nédélec elements of order 0 or 1 on any tetrahedral mesh, directly.

NumPy and SuperLU alone: on small meshes this is as fast as compiled code, and loading that takes
half a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem import meshes
from fem.solvers.direct import DENSE_UP_TO, solve_direct
from fem.spaces import PLAIN, Array, Field, How, LinearSolve
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.dofs import canonical_dofs

# Gauss points per direction for (load, error) by order, on few cells and on more. N0: 14 points in
# the load move the errors of `maxwell` and `helix` by 1e-7 at n = 2, by 9e-6 at n = 1. N1: helix
# keeps six digits at every n.
POINTS = {0: ((4, 7), (3, 7)), 1: ((5, 6), (4, 5))}
FEW_CELLS = {0: 48, 1: 3000}


@dataclass(frozen=True)
class ComplexSpace:
    """V_h of a `TetComplex` on the Kuhn cube (n) or on a mesh, and a direct solver."""

    n: int | None = None
    mesh: Any = None
    order: int = 0

    @cached_property
    def complex(self) -> TetComplex:
        if self.n is None:
            return TetComplex.on(self.mesh, self.order)
        from skfem import MeshTet

        p, t = meshes.kuhn(self.n)
        return TetComplex(MeshTet(p, np.ascontiguousarray(t.T)), self.order)

    @property
    def dofs(self) -> int:
        if self.n is None:
            return self.complex.dofs
        edges, faces = 7 * self.n**3 + 9 * self.n**2 + 3 * self.n, 12 * self.n**3 + 6 * self.n**2
        return 2 * (edges + faces) if self.order else edges

    @property
    def h(self) -> float:
        return self.complex.h

    def predicted_bytes(self, threads: int = 1) -> int:
        """Values at points, and fill-in of the factors: 48 to 58 dofs^1.5 bytes, n = 8 to 14."""
        return int(min(5e7, 2e4 * self.dofs) + 80 * self.dofs**1.5)

    @property
    def _points(self) -> tuple[int, int]:
        return POINTS[self.order][self.complex.mesh.nelements >= FEW_CELLS[self.order]]

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        return self.complex.load(u, self._points[0], how.singular_edge, curl_u)

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        matrix = self.complex.stiffness_and_mass(dense=len(b) <= DENSE_UP_TO)
        return solve_direct(matrix, b, how.tol)

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        return self.complex.errors(x, u, curl_u, how, self._points[1])

    def evaluate(self, x: Array, points: Array) -> Array:
        return self.complex.evaluate(x, points)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return self.complex.evaluate_curl(x, points)

    def interpolate(self, u: Field) -> Array:
        """Moments on edges and faces; see `fem.spaces.tets.dofs`."""
        return canonical_dofs(self.complex, u)
