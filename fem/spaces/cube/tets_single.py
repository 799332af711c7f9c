"""Kuhn tetrahedra in float32, for meshes whose float64 vectors do not fit: the defect form.

Plain float32 is wrong: dofs are h·u, and rounding them spoils the curl by 1e-7/h, which at n = 128
is many times the error itself. So conjugate gradients solve for the small difference to an
interpolant, A e = b − A I_h u, whose right-hand side is formed cube by cube in float64; a
thousandth of it is enough, since e − e_k enters the error squared (by Galerkin orthogonality).
u_h = I_h u + e is added up in float64.

I_h u takes the edge integrals by the trapezoidal rule, from the same values at the vertices as the
load; it is never stored but evaluated again at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.solvers.cg import conjugate_gradients, norm
from fem.spaces import PLAIN, Array, Field, How, LinearSolve
from fem.spaces.cube import integrals as cube_integrals
from fem.spaces.cube.cells import (
    DIRECTIONS,
    HEX_CLASSES,
    KUHN,
    TET_CLASSES,
    local_matrices,
    size,
    split,
)
from fem.spaces.cube.integrals import load_matrix, regions
from fem.spaces.cube.rules import CubeRule, lattice_rule, trapezoidal_interpolation
from fem.spaces.cube.space import block_bytes
from fem.spaces.cube.tets import CubeTets, KuhnSystem, load_degree
from fem.threads import each, ranges

DEFECT_TOLERANCE = 1e-3  # of the defect; float32 reaches about 1e-5


@dataclass(frozen=True)
class Defect:
    """b − A I_h u in float32, and the field u whose interpolant it belongs to."""

    vector: NDArray[np.float32]
    u: Field


@dataclass(frozen=True)
class CubeTetsSingle(CubeTets):
    """As `CubeTets`, at half the memory; the solution itself is a float64 vector."""

    def predicted_bytes(self, threads: int = 1) -> int:
        """x, r, p, q and the coarse vector; at the end r, x and the solution take as much."""
        return 4 * (4 * self.dofs + size(self.n, HEX_CLASSES)) + block_bytes(threads)

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Any:
        """The `Defect` of the interpolant; `solve` works in its vector."""
        if how.singular_edge is not None:
            raise UserError(
                "the float32 form interpolates at the vertices, where a field with a "
                "singular_edge is not finite; use an n for which float64 fits"
            )
        vector = np.zeros(self.dofs, np.float32)
        cube_integrals.load(
            KUHN,
            self.n,
            regions(KUHN, self.n, lattice_rule(KUHN, load_degree(self.n)), None),
            lambda rule: defect_matrix(rule, 1 / self.n),
            (u, curl_u),
            split(vector, self.n, TET_CLASSES),
            how,
        )
        return Defect(vector, u)

    def solve(self, b: Any, how: How = PLAIN) -> LinearSolve:
        """Overwrites b. Stops at 1e-3 of the defect, or at a larger tol; the residual that is
        reported is relative to the load, as in float64."""
        if not isinstance(b, Defect):
            raise UserError("the float32 form solves for the result of its own `load` only")
        system = KuhnSystem(self.n, np.float32, how.threads)
        r, scale = b.vector, norm(b.vector, how.threads)
        load = self._load_norm(b, system, how.threads)
        correction = np.zeros(self.dofs, np.float32)
        if how.x0 is not None:
            self._add_interpolant(correction, how.x0, b.u, -1, how.threads)
            product = np.empty_like(correction)
            system.apply_dot(correction, product)
            r -= product
            del product
        loose = replace(how, tol=max(how.tol, DEFECT_TOLERANCE))
        _, iterations, residual = conjugate_gradients(system, r, correction, loose, norm_b=scale)
        del system
        x = np.empty(self.dofs)
        self._add_interpolant(x, correction, b.u, 1, how.threads)
        return LinearSolve(x, iterations, residual * scale / load if load else 0.0)

    def _load_norm(self, b: Defect, system: KuhnSystem, threads: int) -> float:
        """‖b‖ = ‖defect + A I_h u‖. Rounding in A I_h u, 1e-7 an entry, is far below the entries
        at the boundary, of size h, which make up the norm."""
        interpolant = np.zeros(self.dofs, np.float32)
        self._add_interpolant(interpolant, interpolant, b.u, 1, threads)
        load = np.empty_like(interpolant)
        system.apply_dot(interpolant, load)
        load += b.vector
        return norm(load, threads)

    def _add_interpolant(
        self, out: NDArray[Any], base: NDArray[Any], u: Field, sign: int, threads: int
    ) -> None:
        """out ← base ± I_h u, plane by plane in float64."""
        outs, bases = (split(v, self.n, TET_CLASSES) for v in (out, base))

        def run(planes: tuple[int, int]) -> None:
            interpolant = vertex_interpolant(u, self.n, *planes)
            for target, start, part in zip(outs, bases, interpolant, strict=True):
                target[slice(*planes)] = start[slice(*planes)] + sign * part

        for _ in each(run, ranges(self.n + 1, self.n + 1), threads):
            pass


def defect_matrix(rule: CubeRule, h: float) -> Array:
    """The load minus A I_h on one cube, as a map of the values of u and curl u: (edges, 6, P)."""
    mass, stiffness = local_matrices(KUHN)
    interpolation = h * trapezoidal_interpolation(KUHN, rule.lattice)
    matrix = load_matrix(rule, h)
    matrix[:, :3] -= np.einsum("ef,fcp->ecp", h * mass + stiffness / h, interpolation)
    return matrix


def vertex_interpolant(u: Field, n: int, start: int, stop: int) -> list[Array]:
    """h/2 (u(v) + u(v + d))·d for the edges at the planes start ≤ i < stop, by class."""
    rows = np.arange(start, min(stop + 1, n + 1))
    values = u(np.stack(np.meshgrid(rows, *[np.arange(n + 1)] * 2, indexing="ij")) / n)
    result = []
    for d in DIRECTIONS:
        planes = min(stop, n + 1 - d[0]) - start
        shape = (planes, n + 1 - d[1], n + 1 - d[2])
        ends = [
            tuple(slice(o, o + s) for o, s in zip(offset, shape, strict=True))
            for offset in ((0, 0, 0), d)
        ]
        result.append(sum(values[a][end] for a in np.flatnonzero(d) for end in ends) / (2 * n))
    return result
