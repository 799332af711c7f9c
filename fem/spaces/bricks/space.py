"""Nédélec's space on a mesh of bricks, and its best approximations in H(curl).

On a box the matrix is diagonal in the modes of the axes, which are free at all sides: 3·Πp unknowns
and a division, direct for any orders. On a union of bricks it is factorised.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse.linalg import splu

from fem.spaces import PLAIN, Array, Field, How, LinearSolve
from fem.spaces.bricks.assembled import BrickComplex, assembled_bytes
from fem.spaces.bricks.box import BoxModes, flat
from fem.spaces.bricks.evaluate import at_points
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.tensor import (
    VALUES_AT_ONCE,
    Grid,
    combine,
    curl,
    curl_transposed,
)

FREE = ((False, False),) * 3
BYTES_PER_POINT = 150  # of a slab: points, a field's own temporaries, values


@dataclass(frozen=True, eq=False)
class BrickSpace:
    """Coefficients are those of the products of V and Q, component by component."""

    mesh: BrickMesh

    @property
    def dofs(self) -> int:
        return self.mesh.dofs

    @property
    def h(self) -> float:
        return self.mesh.h

    def predicted_bytes(self, threads: int = 1) -> int:
        return box_bytes(self.mesh) if self.mesh.is_box else assembled_bytes(self.mesh)

    @cached_property
    def _box(self) -> BoxModes:
        return BoxModes(self.mesh, FREE)

    @cached_property
    def slopes(self) -> list[Array]:
        """d/dx of each axis, V to Q."""
        return [axis.derivative for axis in self.mesh.axes]

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        grid = Grid.on(self.mesh, how.singular_edge)
        value = grid.load(u, grid.space)
        curls = curl_transposed(grid.load(curl_u, grid.curls), self.slopes)
        how.report("load", 1, 1)
        return self.mesh.compact(flat(value) + flat(curls))

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        """Direct: neither guess nor tolerance matter."""
        if not self.mesh.is_box:
            return self._solve_assembled(b)
        X = self._box.solve_hcurl(self._box.tested(self.mesh.split(b)))
        return LinearSolve(flat(self._box.coefficients(X)), 0, 0.0)

    def _solve_assembled(self, b: Array) -> LinearSolve:
        complex_, present = BrickComplex(self.mesh), np.flatnonzero(self.mesh.present)
        whole = complex_.stiffness(lambda x: np.ones(x.shape[1:])) + complex_.mass()
        matrix = whole[present][:, present].tocsc()
        x = splu(matrix).solve(b)
        scale = max(float(np.linalg.norm(b)), 1e-300)
        return LinearSolve(x, 0, float(np.linalg.norm(matrix @ x - b)) / scale)

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        parts = self._parts(x)
        found = Grid.on(self.mesh, how.singular_edge).errors(
            parts, curl(parts, self.slopes), u, curl_u
        )
        how.report("error", 1, 1)
        return found

    def evaluate(self, x: Array, points: Array) -> Array:
        return at_points(self.mesh, self._parts(x), points)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        parts = curl(self._parts(x), self.slopes)
        return at_points(self.mesh, parts, points, curls=True)

    def _parts(self, x: Array) -> list[Array]:
        return self.mesh.split(self.mesh.expanded(x))

    def interpolate(self, u: Field) -> Array:
        """Per brick the L² projection on Q along and the interpolant in V across."""
        x = np.zeros(self.mesh.grid_dofs)
        for brick in self.mesh.bricks():
            lines, onto_Q, onto_V = zip(
                *(axis.sampling(i) for axis, i in zip(self.mesh.axes, brick, strict=True)),
                strict=True,
            )
            values = u(np.stack(np.meshgrid(*lines, indexing="ij")))
            for d, dofs in enumerate(self.mesh.brick_dofs(brick)):
                tables = [onto_Q[k] if k == d else onto_V[k] for k in range(3)]
                x[dofs] = combine(values[d], *tables).ravel()
        return self.mesh.compact(x)

    def norm(self, x: Array) -> float:
        """‖u_h‖ in H(curl)."""
        zero = np.zeros_like
        return self.errors(x, zero, zero)[1]


def box_bytes(mesh: BrickMesh) -> int:
    """The vectors of an iteration or transform, the weights of the grid, one slab of values."""
    points = int(np.prod([float(sum(p + 6 for p in axis.orders)) for axis in mesh.axes]))
    return 8 * (points + 40 * mesh.grid_dofs) + BYTES_PER_POINT * min(points, VALUES_AT_ONCE)
