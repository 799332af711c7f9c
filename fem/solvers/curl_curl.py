"""The system (α curl x, curl v) + (β x, v) = b on tetrahedra, with dofs that may be held fixed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.meshes.tets import Tets
from fem.solvers.cg import MatrixSystem, conjugate_gradients
from fem.solvers.hiptmair_xu import HiptmairXu
from fem.solvers.symmetric import Symmetric
from fem.spaces import Array, LinearSolve, Progress
from fem.spaces.tets.local_matrices import curl_curl_mass


@dataclass(frozen=True, eq=False)
class CurlCurl:
    """Weights are numbers, cell means (cells,) or scalars of space; `fixed` marks edges.

    For β = 0 the matrix is singular: b must then be consistent (zero against gradients), and x
    is one of many solutions.
    """

    tets: Tets
    curl_weight: Any = 1.0
    mass_weight: Any = 1.0
    fixed: NDArray[np.bool_] | None = None
    threads: int = 1

    @cached_property
    def matrix(self) -> Symmetric:
        return curl_curl_mass(self.tets, self.curl_weight, self.mass_weight, self.threads)

    @cached_property
    def preconditioner(self) -> HiptmairXu:
        return HiptmairXu.build(
            self.matrix, self.tets, self.curl_weight, self.mass_weight, self.fixed
        )

    def solve(
        self,
        b: Array,
        *,
        x0: Array | None = None,
        tol: float = 1e-8,
        max_iterations: int = 500,
        progress: Progress | None = None,
    ) -> LinearSolve:
        """CG with Hiptmair–Xu until ‖b − A x‖ ≤ tol ‖b‖ over the free dofs.

        x keeps the values of x0 (zero without one) at the fixed dofs.
        """
        x = np.zeros_like(b) if x0 is None else np.array(x0, dtype=float)
        r = b.copy() if x0 is None else b - self.matrix @ x
        norm_b = float(np.linalg.norm(self._released(b.copy())))
        if norm_b == 0:  # homogeneous right-hand side: measure against what x0 leaves of it
            norm_b = float(np.linalg.norm(self._released(r.copy()))) or 1.0
        return conjugate_gradients(
            MatrixSystem(self._apply, self.preconditioner),
            self._released(r),
            x,
            tol=tol,
            norm_b=norm_b,
            max_iterations=max_iterations,
            progress=progress,
        )

    def _apply(self, p: Array) -> Array:
        return self._released(self.matrix @ p)

    def _released(self, r: Array) -> Array:
        """A residual does not count at fixed dofs; in place."""
        if self.fixed is not None:
            r[self.fixed] = 0
        return r
