"""Kuhn tetrahedra of the uniform cube: a matrix-free stencil, conjugate gradients and the
hexahedral space as auxiliary space.

The preconditioner is 2 diag(A)⁻¹ + Π H⁻¹ Πᵀ, H the hexahedral system solved by fast transforms and
Π the interpolation of hexahedral fields on the tetrahedral edges. It carries gradients to
gradients, so that no nodal space is needed.

Smooth fields take the *defect form*: conjugate gradients solve for the small difference to an
interpolant, A e = b − A I_h u, whose right-hand side is formed cube by cube in float64, and
u_h = I_h u + e is added up in float64. So e may be a float32 vector (plain float32 is wrong: dofs
are h·u, and rounding them spoils the curl by 1e-7/h, at n = 128 many times the error itself), and a
thousandth of the defect is enough: e − e_k enters the error squared, by Galerkin orthogonality.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.solvers import stencil_kernels
from fem.solvers.cg import conjugate_gradients, norm
from fem.solvers.stencil import layout, prolongation, restriction, system_rows
from fem.solvers.transforms import solve_hex
from fem.spaces import PLAIN, Field, How, LinearSolve
from fem.spaces.cube.cells import HEX_CLASSES, KUHN, TET_CLASSES, size
from fem.spaces.cube.defect import add_interpolant, defect_matrix, load_norm
from fem.spaces.cube.rules import CubeRule, gauss_rule, lattice_rule
from fem.spaces.cube.space import CubeSpace, block_bytes
from fem.threads import each, ranges

SMOOTHER = 2.0  # weight of the diagonal in the preconditioner
PLANES = 16  # planes a piece: cut by n alone, so that threads change no sum
COARSE = 8  # up to this n the load takes Gauss points
SINGLE_TOLERANCE = 1e-3  # of the defect; float32 reaches about 1e-5


class KuhnSystem:
    """The H(curl) matrix on n³ cubes of six tetrahedra and its preconditioner."""

    def __init__(self, n: int, dtype: Any, threads: int = 1) -> None:
        self._n, self._threads = n, threads
        self._at, self._hex_at = layout(n, TET_CLASSES), layout(n, HEX_CLASSES)
        rows = system_rows(n)
        self._matrix = rows.stencil(self._at, dtype)
        self._smoother = np.asarray(SMOOTHER / rows.diagonal(), dtype)
        self._down = restriction().stencil(self._at, dtype)
        self._up = prolongation().stencil(self._hex_at, dtype)
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
        return list(each(lambda piece: kernel(*args, *piece), pieces, self._threads))

    def _sum(self, kernel: Any, *args: Any) -> float:
        return fsum(self._run(kernel, *args))


@dataclass(frozen=True)
class Defect:
    """b − A I_h u and the field u; `solve` works in the vector."""

    vector: NDArray[Any]
    u: Field


@dataclass(frozen=True)
class CubeTets(CubeSpace):
    """n³ cubes of six Kuhn tetrahedra: 7n³ + 9n² + 3n unknowns.

    `single`: conjugate gradients in float32 vectors, which stop at 1e-3 of the defect (or at a
    larger tol); the solution itself is a float64 vector.
    """

    single: bool = False
    cell = KUHN

    def predicted_bytes(self, threads: int = 1) -> int:
        """r, p, q, e and the coarse vector, in float64 a load of its own; in float32 r, e and the
        solution take as much at the end. Blocks of values."""
        itemsize, vectors = (4, 4) if self.single else (8, 5)
        entries = vectors * self.dofs + size(self.n, HEX_CLASSES)
        return itemsize * entries + block_bytes(threads)

    def load_rule(self) -> CubeRule:
        """Gauss with 5 points per direction for n ≤ 8, then lattices, which share points. Degree 1
        moves the errors of `maxwell` by 2/n² (5e-4 at n = 64, 8e-6 at 512), degree 2 by less than
        1e-6 from n = 16 on."""
        if self.n <= COARSE and not self.single:
            return gauss_rule(KUHN, 5)
        return lattice_rule(KUHN, 2 if self.n <= 256 else 1)

    def error_rule(self) -> CubeRule:
        """Measured on `maxwell` and `helix`: degree 3 is within 1e-7 of fine rules for n ≥ 16,
        degree 2 within 2e-5 (64/n)², degree 1 within 3e-4 (64/n)²; five Gauss points within 1e-12
        from n = 5 on."""
        n = self.n
        if n < 16:
            return gauss_rule(KUHN, 7 if n <= 4 else 5 if n <= 8 else 4)
        return lattice_rule(KUHN, 3 if n < 128 else 2 if n <= 256 else 1)

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Any:
        """The `Defect` of the interpolant; the load itself where u is not finite at the vertices or
        the mesh is coarse."""
        if how.singular_edge is not None and self.single:
            raise UserError(
                "the float32 form interpolates at the vertices, where a field with a "
                "singular_edge is not finite; use an n for which float64 fits"
            )
        if how.singular_edge is not None or not self.load_rule().lattice:
            return super().load(u, curl_u, how)
        vector = np.zeros(self.dofs, np.float32 if self.single else np.float64)
        return Defect(self._load(vector, defect_matrix, u, curl_u, how), u)

    def solve(self, b: Any, how: How = PLAIN) -> LinearSolve:
        """From x0; by default from the interpolant of a `Defect`, which is overwritten, or zero."""
        if not isinstance(b, Defect):
            return self._conjugate_gradients(b.astype(float), how.x0, norm(b), how)
        load, tol = load_norm(b.vector, b.u, self.n, how), how.tol
        if self.single and load:
            enough = SINGLE_TOLERANCE * norm(b.vector, how.threads) / load
            tol = max(tol, min(enough, 0.5))
        start = None
        if how.x0 is not None:
            start = np.empty_like(b.vector)
            add_interpolant(start, how.x0, b.u, -1, self.n, how)
        found = self._conjugate_gradients(b.vector, start, load, replace(how, tol=tol))
        x = np.empty(self.dofs) if self.single else found.x
        add_interpolant(x, found.x, b.u, 1, self.n, how)
        return found._replace(x=x)

    def _conjugate_gradients(
        self, r: NDArray[Any], start: NDArray[Any] | None, load: float, how: How
    ) -> LinearSolve:
        """Solve A x = r from a start; works in r."""
        system = KuhnSystem(self.n, r.dtype, how.threads)
        if start is None:
            zero = np.zeros(r.shape, r.dtype)
            return conjugate_gradients(system, r, zero, how, norm_b=load)
        product = np.empty_like(r)
        x = start.astype(r.dtype)
        system.apply_dot(x, product)
        r -= product
        del product
        return conjugate_gradients(system, r, x, how, norm_b=load)
