"""Auxiliary-space preconditioner for edge elements: Hiptmair, Xu, SIAM J. Numer. Anal. 45 (2007).

An edge function splits into a smooth nodal vector field, a gradient, and a rest that oscillates:

    x ← Gauss–Seidel forwards;   x ← x + Π V Πᵀ r + G W Gᵀ r;   x ← Gauss–Seidel backwards

with r the residual at each step, Π the edge interpolation of nodal vector fields, G the discrete
gradient, V and W one multigrid cycle for (α∇·,∇·) + (max(α,β)·,·) per component and (β∇·,∇·).
Where cells are thin, Gauss–Seidel goes block by block (`fem.solvers.blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.meshes.tets import Ints, Tets
from fem.solvers.blocks import BlockSmoother
from fem.solvers.multigrid import Multigrid
from fem.solvers.symmetric import Symmetric
from fem.spaces import Array
from fem.spaces.tets.local_matrices import nodal


@dataclass(frozen=True, eq=False)
class HiptmairXu:
    """B ≈ A⁻¹ for the matrix A of (α curl ·, curl ·) + (β ·, ·) with some dofs held at zero.

    `gradients` is W, or None where V serves both (equal weights) or β = 0 (no gradients in A).
    """

    matrix: Symmetric
    inverse: Array  # of the diagonal, 0 at fixed dofs
    vectors: Multigrid
    gradients: Multigrid | None
    with_gradients: bool
    ends: Ints  # (edges, 2) numbers of free nodes, −1 at fixed ones
    tangents: Array  # (edges, 3): half of end − start
    nodes: int  # free ones
    blocks: BlockSmoother | None = None  # for thin cells

    @classmethod
    def build(
        cls,
        matrix: Symmetric,
        tets: Tets,
        curl_weight: Any = 1.0,
        mass_weight: Any = 1.0,
        fixed: NDArray[np.bool_] | None = None,
    ) -> HiptmairXu:
        """For A as assembled with these weights; `fixed` marks edges with essential conditions."""
        alpha, beta = tets.cell_average(curl_weight), tets.cell_average(mass_weight)
        inverse = 1 / matrix.diagonal
        free = np.ones(tets.p.shape[1], bool)
        if fixed is not None:
            inverse[fixed] = 0
            free[tets.edges[fixed]] = False
        number = np.where(free, np.cumsum(free) - 1, -1).astype(np.int32)
        # Equal weights: (β∇·,∇·) and (β∇·,∇·) + (β·,·) are equivalent away from the constants,
        # and those have no gradient. One hierarchy, and one cycle for four right-hand sides.
        one_hierarchy = np.array_equal(alpha, beta)
        with_gradients = bool(beta.any())
        # max(α, β), not β: constants stay out of the kernel where β is small or zero, and it takes
        # 12 iterations instead of 14 (n = 10, β = 1e-4, nothing fixed).
        blocks = BlockSmoother.build(matrix, tets, fixed)
        thin = blocks is not None
        vectors = Multigrid(_restricted(nodal(tets, alpha, np.maximum(alpha, beta)), free), thin)
        gradients = None
        if with_gradients and not one_hierarchy:
            gradients = Multigrid(_restricted(nodal(tets, beta), free), thin)
        return cls(
            matrix,
            inverse,
            vectors,
            gradients,
            with_gradients,
            number[tets.edges],
            np.ascontiguousarray(np.diff(tets.p.T[tets.edges], axis=1)[:, 0]) / 2,
            int(free.sum()),
            blocks,
        )

    def __call__(self, r: Array) -> Array:
        blocks = self.blocks
        x, rest = self.matrix.forward(self.inverse, r) if blocks is None else blocks.forward(r)
        correction = self._auxiliary(rest)
        x += correction
        rest -= self.matrix @ correction
        if blocks is None:
            self.matrix.backward(self.inverse, rest, x)
        else:
            blocks.backward(rest, x)
        return x

    def _auxiliary(self, r: Array) -> Array:
        """Π V Πᵀ r + G W Gᵀ r, zero at fixed dofs."""
        loads = np.zeros((self.nodes, 4))
        _restrict(self.ends, self.tangents, self.inverse, r, loads)
        if self.with_gradients and self.gradients is None:
            corrections = self.vectors(loads)
        else:
            corrections = np.zeros_like(loads)
            corrections[:, :3] = self.vectors(np.ascontiguousarray(loads[:, :3]))
            if self.gradients is not None:
                corrections[:, 3:] = self.gradients(np.ascontiguousarray(loads[:, 3:]))
        result = np.empty_like(r)
        _prolong(self.ends, self.tangents, self.inverse, corrections, result)
        return result


def _restricted(matrix: Any, free: NDArray[np.bool_]) -> Any:
    return matrix if free.all() else matrix[free][:, free]


@njit(cache=True, nogil=True)
def _restrict(ends: Ints, tangents: Array, inverse: Array, r: Array, loads: Array) -> None:
    """loads[:, :3] = Πᵀ r (half the edge vector to either end), loads[:, 3] = Gᵀ r."""
    for e in range(r.size):
        if inverse[e] == 0.0:
            continue
        for end in range(2):
            node = ends[e, end]
            if node >= 0:
                for d in range(3):
                    loads[node, d] += tangents[e, d] * r[e]
                loads[node, 3] += (2 * end - 1) * r[e]


@njit(cache=True, nogil=True)
def _prolong(ends: Ints, tangents: Array, inverse: Array, nodal: Array, x: Array) -> None:
    """x = Π nodal[:, :3] + G nodal[:, 3]."""
    for e in range(x.size):
        total = 0.0
        if inverse[e] != 0.0:
            for end in range(2):
                node = ends[e, end]
                if node >= 0:
                    for d in range(3):
                        total += tangents[e, d] * nodal[node, d]
                    total += (2 * end - 1) * nodal[node, 3]
        x[e] = total
