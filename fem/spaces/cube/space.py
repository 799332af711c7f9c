"""What the spaces on the uniform cube share: integrals cube by cube, values at points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from fem.spaces import PLAIN, Array, Field, How
from fem.spaces.cube import integrals as cube_integrals
from fem.spaces.cube.cells import Cell, size, split
from fem.spaces.cube.integrals import (
    edge_integrals,
    load_matrix,
    regions,
    squared_errors,
)
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
        b = np.zeros(self.dofs)
        cube_integrals.load(
            self.cell,
            self.n,
            regions(self.cell, self.n, self.load_rule(), how.singular_edge),
            lambda rule: load_matrix(rule, 1 / self.n),
            (u, curl_u),
            split(b, self.n, self.cell.classes),
            how,
        )
        return b

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        l2, curl = squared_errors(
            self.cell,
            self.n,
            regions(self.cell, self.n, self.error_rule(), how.singular_edge),
            split(x, self.n, self.cell.classes),
            (u, curl_u),
            how,
        )
        return sqrt(l2), sqrt(l2 + curl)

    @abstractmethod
    def evaluate(self, x: Array, points: Array) -> Array: ...

    @abstractmethod
    def evaluate_curl(self, x: Array, points: Array) -> Array: ...

    def interpolate(self, u: Field) -> Array:
        return edge_integrals(u, self.n, self.cell.classes)


def block_bytes(threads: int) -> int:
    """Values, contributions, the field's own temporaries, and what malloc keeps of them."""
    return 64 * 2**20 * threads
