"""Auxiliary-space preconditioner for edge elements: Hiptmair, Xu, SIAM J. Numer. Anal. 45 (2007).

An edge function splits into a smooth nodal vector field, a gradient, and a rest that oscillates:

    x ← Gauss–Seidel forwards;   x ← x + Π V Πᵀ r + G W Gᵀ r;   x ← Gauss–Seidel backwards

with r the residual at each step and the nodal corrections of `fem.solvers.auxiliary_nodal`.
Where cells are thin, Gauss–Seidel goes block by block (`fem.solvers.blocks`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.meshes.tets import Tets
from fem.solvers.auxiliary_nodal import ComponentHierarchies, SharedHierarchy
from fem.solvers.blocks import BlockSmoother
from fem.solvers.symmetric import Symmetric
from fem.spaces import Array

CONTRAST = 10.0  # of α: above, the nodal corrections are ΠᵀAΠ


@dataclass(frozen=True, eq=False)
class HiptmairXu:
    """B ≈ A⁻¹ for the matrix A of (α curl ·, curl ·) + (β ·, ·) with some dofs held at zero."""

    matrix: Symmetric  # in single precision where Gauss–Seidel goes row by row
    inverse: Array  # of the diagonal, 0 at fixed dofs
    auxiliary: Callable[[Array], Array]
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
        held = np.zeros(len(tets.edges), bool) if fixed is None else fixed
        inverse = 1 / np.where(held, np.inf, matrix.diagonal)
        blocks = BlockSmoother.build(matrix, tets, fixed, singular=not beta.all())
        if held.any() and alpha.max() > CONTRAST * alpha.min():
            auxiliary = ComponentHierarchies.build(matrix, tets, beta, held)
        else:
            auxiliary = SharedHierarchy.build(tets, alpha, beta, held, blocks is not None)
        return cls(matrix.single() if blocks is None else matrix, inverse, auxiliary, blocks)

    def __call__(self, r: Array) -> Array:
        blocks = self.blocks
        x, rest = self.matrix.forward(self.inverse, r) if blocks is None else blocks.forward(r)
        correction = self.auxiliary(rest)
        if blocks is None:
            self.matrix.correct_backward(self.inverse, correction, rest, x)
        else:
            x += correction
            rest -= self.matrix @ correction
            blocks.backward(rest, x)
        return x
