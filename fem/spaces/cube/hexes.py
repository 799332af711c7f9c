"""Hexahedra of the uniform cube: an exact direct solve by fast transforms."""

from __future__ import annotations

from dataclasses import dataclass

from fem.solvers.transforms import solve_hex
from fem.spaces import PLAIN, Array, How, LinearSolve
from fem.spaces.cube.cells import HEX
from fem.spaces.cube.rules import CubeRule, gauss_rule, lattice_rule
from fem.spaces.cube.space import CubeSpace, block_bytes


@dataclass(frozen=True)
class CubeHexes(CubeSpace):
    """n³ cubes as they are: 3n(n + 1)² unknowns."""

    cell = HEX

    def predicted_bytes(self, threads: int = 1) -> int:
        """The load, which becomes the solution, and blocks of values."""
        return 8 * self.dofs + block_bytes(threads)

    def load_rule(self) -> CubeRule:
        """Gauss with 5 points per direction for n ≤ 8, then 2, which move the errors of `maxwell`
        and `helix` by 2e-7 at n = 12 and 2e-10 at n = 64; the vertices' values beyond n = 256."""
        if self.n > 256:
            return lattice_rule(HEX, 1)
        return gauss_rule(HEX, 5 if self.n <= 8 else 2)

    def error_rule(self) -> CubeRule:
        """Gauss; beyond n = 256 the vertices' values do, within 3e-4 (64/n)² of fine rules."""
        n = self.n
        if n > 256:
            return lattice_rule(HEX, 1)
        return gauss_rule(HEX, 7 if n <= 8 else 4 if n <= 16 else 3 if n <= 128 else 2)

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        """Direct, in place: neither guess nor tolerance matter."""
        solve_hex(b, self.n, how.threads)
        how.report("solve", 1, 1)
        return LinearSolve(b, 0, 0.0)
