"""Kuhn tetrahedra of the uniform cube: a matrix-free stencil, conjugate gradients and the
hexahedral space as auxiliary space.

The preconditioner is 2 diag(A)⁻¹ + Π H⁻¹ Πᵀ, H the hexahedral system solved by fast transforms and
Π the interpolation of hexahedral fields on the tetrahedral edges. It carries gradients to
gradients, so that no nodal space is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.solvers import stencil_kernels
from fem.solvers.cg import conjugate_gradients, norm
from fem.solvers.stencil import layout, prolongation, restriction, system_stencil
from fem.solvers.transforms import solve_hex
from fem.spaces import PLAIN, Array, How, LinearSolve
from fem.spaces.cube import points as cube_points
from fem.spaces.cube.cells import HEX_CLASSES, KUHN, TET_CLASSES, size
from fem.spaces.cube.rules import CubeRule, gauss_rule, lattice_rule
from fem.spaces.cube.space import CubeSpace, block_bytes
from fem.threads import each, ranges

SMOOTHER = 2.0  # weight of the diagonal in the preconditioner
PLANES = 16  # planes a piece: cut by n alone, so that threads change no sum


class KuhnSystem:
    """The H(curl) matrix on n³ cubes of six tetrahedra and its preconditioner."""

    def __init__(self, n: int, dtype: Any, threads: int = 1) -> None:
        self._n, self._threads = n, threads
        self._at, self._hex_at = layout(n, TET_CLASSES), layout(n, HEX_CLASSES)
        self._matrix, diagonal = system_stencil(n, dtype)
        self._smoother = np.asarray(SMOOTHER / diagonal, dtype)
        self._down, self._up = restriction(n, dtype), prolongation(n, dtype)
        self._coarse = np.empty(size(n, HEX_CLASSES), dtype)

    def apply_dot(self, p: NDArray[Any], q: NDArray[Any]) -> float:
        return self._sum(stencil_kernels.apply_dot, q, p, self._at, self._matrix)

    def precondition_dot(self, r: NDArray[Any]) -> float:
        """w = H⁻¹ Πᵀ r is kept, z = 2 D⁻¹ r + Π w is not: it would be one more long vector."""
        self._run(stencil_kernels.apply, self._coarse, r, self._hex_at, self._down)
        solve_hex(self._coarse, self._n, self._threads)
        return self._sum(stencil_kernels.precondition_dot, r, *self._preconditioner())

    def direction(self, p: NDArray[Any], r: NDArray[Any], beta: float) -> None:
        step = p.dtype.type(beta)
        self._run(stencil_kernels.direction, p, step, r, *self._preconditioner())

    def _preconditioner(self) -> tuple[Any, ...]:
        return self._coarse, self._at, self._up, self._smoother

    def _run(self, kernel: Any, *args: Any) -> list[Any]:
        pieces = ranges(self._n + 1, max(1, self._n // PLANES))
        return list(each(lambda piece: kernel(*args, self._n, *piece), pieces, self._threads))

    def _sum(self, kernel: Any, *args: Any) -> float:
        return fsum(self._run(kernel, *args))


@dataclass(frozen=True)
class CubeTets(CubeSpace):
    """n³ cubes of six Kuhn tetrahedra, in float64: 7n³ + 9n² + 3n unknowns."""

    cell = KUHN

    def predicted_bytes(self, threads: int = 1) -> int:
        """Load, x and the r, p, q of conjugate gradients, the coarse vector, blocks of values."""
        return 8 * (5 * self.dofs + size(self.n, HEX_CLASSES)) + block_bytes(threads)

    def load_rule(self) -> CubeRule:
        """Gauss with 5 points per direction for n ≤ 8, then lattices, which share points."""
        return gauss_rule(KUHN, 5) if self.n <= 8 else lattice_rule(KUHN, load_degree(self.n))

    def error_rule(self) -> CubeRule:
        """Measured on `maxwell` and `helix`: degree 3 is within 1e-7 of fine rules for n ≥ 16,
        degree 2 within 2e-5 (64/n)², degree 1 within 3e-4 (64/n)²."""
        n = self.n
        if n <= 16:
            return gauss_rule(KUHN, 7 if n <= 8 else 4)
        return lattice_rule(KUHN, 3 if n < 128 else 2 if n <= 256 else 1)

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        system = KuhnSystem(self.n, float, how.threads)
        x = np.zeros(self.dofs) if how.x0 is None else how.x0.astype(float)
        r = b.astype(float)
        if how.x0 is not None:
            product = np.empty_like(x)
            system.apply_dot(x, product)
            r -= product
            del product
        return conjugate_gradients(system, r, x, how, norm_b=norm(b, how.threads))

    def evaluate(self, x: Array, points: Array) -> Array:
        return cube_points.on_tetrahedra(x, points, self.n)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return cube_points.on_tetrahedra(x, points, self.n, curl=True)


def load_degree(n: int) -> int:
    """Degree 1 moves the errors of `maxwell` by 2/n² (5e-4 at n = 64, 8e-6 at 512), degree 2 by
    less than 1e-6 from n = 16 on."""
    return 2 if n <= 256 else 1
