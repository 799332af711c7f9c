"""The best approximation by Nédélec elements of order 0 or 1 on any tetrahedral mesh, directly.

NumPy and SuperLU alone: on small meshes this is as fast as compiled code, and loading that takes
half a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fem import meshes
from fem.solvers.direct import solve_direct
from fem.spaces import PLAIN, Array, Field, How, LinearSolve
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.dofs import canonical_dofs

# Gauss points per direction. N0: five digits need degree 4 in the load and 8 in the error up to
# n = 4; the margin is for `helix`, which oscillates. N1: degrees 9 and 11 on coarse meshes, 7 and 9
# from n = 8 on; helix then keeps six digits at every n.
COARSE_CELLS = 3000


@dataclass(frozen=True)
class ComplexSpace:
    """V_h of a `TetComplex` on the Kuhn cube (n) or on a mesh, and a direct solver."""

    n: int | None = None
    mesh: Any = None
    order: int = 0

    @cached_property
    def complex(self) -> TetComplex:
        return TetComplex.on(meshes.cube(self.n) if self.n else self.mesh, self.order)

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
        """The fill-in of the factors: 48 to 58 dofs^1.5 bytes, n = 8 to 14."""
        return int(5e7 + 80 * self.dofs**1.5)

    def _points(self) -> int:
        return 5 if self.complex.mesh.nelements <= COARSE_CELLS else 4

    @cached_property
    def matrix(self) -> Any:
        """(curl v_j, curl v_i) + (v_j, v_i)."""
        return self.complex.stiffness(points=self.order + 1) + self.complex.mass()

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        value = self.complex.load(u, self._points(), how.singular_edge)
        return value + self.complex.curl_load(curl_u, self._points(), how.singular_edge)

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        return solve_direct(self.matrix, b, how.tol)

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        return self.complex.errors(x, u, curl_u, how, self._points() + 2 - self.order)

    def evaluate(self, x: Array, points: Array) -> Array:
        return self.complex.evaluate(x, points)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return self.complex.evaluate_curl(x, points)

    def interpolate(self, u: Field) -> Array:
        """Moments on edges and faces; see `fem.spaces.tets.dofs`."""
        return canonical_dofs(self.complex, u)
