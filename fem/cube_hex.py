"""Hexahedra of the uniform cube: an exact direct solve by fast transforms (`fem.transforms`)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from fem import cube_integrals, cube_points
from fem.cube_cells import HEX, HEX_CLASSES, size, split
from fem.cube_integrals import BLOCK_VALUES, edge_integrals, load_matrix, regions, squared_errors
from fem.cube_rules import CubeRule, gauss_rule, lattice_rule
from fem.space import Array, Field, Line, LinearSolve, Progress
from fem.transforms import solve_hex


@dataclass(frozen=True)
class CubeHexes:
    """Lowest-order Nédélec on n³ cubes; the numbering of dofs is that of `fem.cube_cells`."""

    n: int

    @property
    def dofs(self) -> int:
        """3n(n + 1)²."""
        return size(self.n, HEX_CLASSES)

    @property
    def h(self) -> float:
        return sqrt(3) / self.n

    def predicted_bytes(self, threads: int = 1) -> int:
        """The load and, if the caller keeps it, the solution beside it; blocks of values."""
        return 2 * 8 * self.dofs + block_bytes(threads)

    def load(
        self,
        u: Field,
        curl_u: Field,
        *,
        threads: int = 1,
        progress: Progress | None = None,
        singular_edge: Line | None = None,
    ) -> Array:
        b = np.zeros(self.dofs)
        cube_integrals.load(
            HEX,
            self.n,
            regions(HEX, self.n, load_rule(self.n), singular_edge),
            lambda rule: load_matrix(rule, 1 / self.n),
            (u, curl_u),
            split(b, self.n, HEX_CLASSES),
            threads=threads,
            progress=progress,
        )
        return b

    def solve(
        self,
        b: Array,
        *,
        x0: Array | None = None,
        tol: float = 1e-8,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> LinearSolve:
        """Direct: neither guess nor tolerance matter."""
        x = b.astype(float)
        solve_hex(x, self.n, threads)
        if progress is not None:
            progress("solve", 1, 1)
        return LinearSolve(x, 0, 0.0)

    def errors(
        self,
        x: Array,
        u: Field,
        curl_u: Field,
        *,
        threads: int = 1,
        progress: Progress | None = None,
        singular_edge: Line | None = None,
    ) -> tuple[float, float]:
        l2, curl = squared_errors(
            HEX,
            self.n,
            regions(HEX, self.n, error_rule(self.n), singular_edge),
            split(x, self.n, HEX_CLASSES),
            (u, curl_u),
            threads=threads,
            progress=progress,
        )
        return sqrt(l2), sqrt(l2 + curl)

    def evaluate(self, x: Array, points: Array) -> Array:
        return cube_points.on_hexahedra(x, points, self.n)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return cube_points.on_hexahedra(x, points, self.n, curl=True)

    def interpolate(self, u: Field) -> Array:
        return edge_integrals(u, self.n, HEX_CLASSES)


def block_bytes(threads: int) -> int:
    """Values, contributions and the field's own temporaries: 34 to 78 MB a thread were measured."""
    return 6 * 8 * BLOCK_VALUES * threads


def load_rule(n: int) -> CubeRule:
    """Accurate enough for five digits of the error (FEM_NOTES), ten for n ≤ 8; see the tests."""
    if n > 256:
        return lattice_rule(HEX, 1)
    return gauss_rule(HEX, 5 if n <= 8 else 3 if n <= 64 else 2)


def error_rule(n: int) -> CubeRule:
    """Gauss; beyond n = 256 the values at the vertices, within 3e-4 (64/n)² of fine rules, do."""
    if n > 256:
        return lattice_rule(HEX, 1)
    return gauss_rule(HEX, 7 if n <= 8 else 4 if n <= 16 else 3 if n <= 128 else 2)
