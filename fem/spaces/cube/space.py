"""What the spaces on the uniform cube share: integrals cube by cube, values at points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem.spaces import PLAIN, Array, Field, How
from fem.spaces.cube import points as cube_points
from fem.spaces.cube.cells import Cell, size
from fem.spaces.cube.integrals import add_load, edge_integrals, load_matrix, squared_errors
from fem.spaces.cube.rules import CubeRule


@dataclass(frozen=True)
class CubeSpace(ABC):
    """Lowest-order Nédélec on n³ cubes, whole or cut; the numbering of dofs is that of
    `fem.spaces.cube.cells`. A subclass says how a cube is cut, which rules fit, how to solve."""

    n: int
    cell: ClassVar[Cell]

    @property
    def dofs(self) -> int:
        return size(self.n, self.cell.classes)

    @property
    def h(self) -> float:
        return sqrt(3) / self.n

    @abstractmethod
    def load_rule(self) -> CubeRule: ...

    @abstractmethod
    def error_rule(self) -> CubeRule: ...

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        return self._load(np.zeros(self.dofs), load_matrix, u, curl_u, how)

    def _load(
        self, b: NDArray[Any], matrix: Callable[[CubeRule, float], Array], u: Field, curl_u: Field,
        how: How,
    ) -> NDArray[Any]:  # fmt: skip
        """Add matrix(rule, h), (edges, 6, P), times the values of u and curl u to b."""
        h = 1 / self.n
        rule = self.load_rule()
        add_load(b, self.cell, self.n, rule, lambda rule: matrix(rule, h), (u, curl_u), how)
        return b

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        l2, curl = squared_errors(x, self.cell, self.n, self.error_rule(), (u, curl_u), how)
        return sqrt(l2), sqrt(l2 + curl)

    def evaluate(self, x: Array, points: Array) -> Array:
        return cube_points.evaluate(self.cell.classes, x, points, self.n)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return cube_points.evaluate(self.cell.classes, x, points, self.n, curl=True)

    def interpolate(self, u: Field) -> Array:
        return edge_integrals(u, self.n, self.cell.classes)


def block_bytes(threads: int) -> int:
    """Values, contributions, the field's own temporaries, and what malloc keeps of them."""
    return 64 * 2**20 * threads
