"""The system (α curl x, curl v) + (β x, v) = b on tetrahedra, with dofs that may be held fixed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.meshes.tets import Tets
from fem.solvers.cg import MAX_ITERATIONS, MatrixSystem, conjugate_gradients
from fem.solvers.hiptmair_xu import HiptmairXu
from fem.solvers.symmetric import Symmetric
from fem.spaces import PLAIN, Array, How, LinearSolve
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
        self, b: Array, how: How = PLAIN, max_iterations: int = MAX_ITERATIONS
    ) -> LinearSolve:
        """CG with Hiptmair–Xu until ‖b − A x‖ ≤ tol ‖b‖ over the free dofs.

        x keeps the values of x0 (zero without one) at the fixed dofs.
        """
        x = np.zeros_like(b) if how.x0 is None else np.array(how.x0, dtype=float)
        r = b.copy() if how.x0 is None else b - self.matrix @ x
        norm_b = float(np.linalg.norm(self._released(b.copy())))
        if norm_b == 0:  # homogeneous right-hand side: measure against what x0 leaves of it
            norm_b = float(np.linalg.norm(self._released(r.copy()))) or 1.0
        system = MatrixSystem(self._apply, self.preconditioner)
        return conjugate_gradients(system, self._released(r), x, how, norm_b, max_iterations)

    def _apply(self, p: Array) -> Array:
        return self._released(self.matrix @ p)

    def _released(self, r: Array) -> Array:
        """A residual does not count at fixed dofs; in place."""
        if self.fixed is not None:
            r[self.fixed] = 0
        return r
