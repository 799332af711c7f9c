"""Quadrature on the unit cube, its cells and its tetrahedra: Gauss, and rules made of rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError

Array = NDArray[np.float64]
CHUNK = 1 << 14  # points: bounds memory; a 2-50 net costs the same from 2^10 to 2^14


class Quadrature(Protocol):
    """Anything that hands out its points and weights piece by piece."""

    def chunks(self, size: int = CHUNK) -> Iterator[Rule]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Rule:
    """∫ g ≈ Σ_q weights[q] g(points[:, q])."""

    points: Array  # (3, Q)
    weights: Array  # (Q,)

    def __len__(self) -> int:
        return self.weights.size

    def chunks(self, size: int = CHUNK) -> Iterator[Rule]:
        for start in range(0, len(self), size):
            piece = slice(start, start + size)
            yield Rule(self.points[:, piece], self.weights[piece])


@dataclass(frozen=True)
class CellRule:
    """A rule of the unit cube on the cells of a mesh with n cells per side, made block by block.

    A column (i, j) stands for its n cells (i, j, 0), …, (i, j, n − 1).
    """

    reference: Rule
    n: int
    columns: NDArray[np.int64]  # (2, K)

    def __len__(self) -> int:
        return self.columns.shape[1] * self.n * len(self.reference)

    def chunks(self, size: int = CHUNK) -> Iterator[Rule]:
        cells, block = self.columns.shape[1] * self.n, max(1, size // len(self.reference))
        for start in range(0, cells, block):
            column, layer = np.divmod(np.arange(start, min(start + block, cells)), self.n)
            corner = np.concatenate([self.columns[:, column], layer[None]])
            points = (corner[:, :, None] + self.reference.points[:, None, :]) / self.n
            weights = np.tile(self.reference.weights / self.n**3, layer.size)
            yield Rule(points.reshape(3, -1), weights)


@dataclass(frozen=True)
class Union:
    """Rules over disjoint domains, one after the other."""

    parts: tuple[Quadrature, ...]

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def chunks(self, size: int = CHUNK) -> Iterator[Rule]:
        for part in self.parts:
            yield from part.chunks(size)


def integrate(function: Callable[[Array], Array], rule: Quadrature) -> float:
    """Σ_q w_q g(x_q) for a scalar function (3, Q) -> (Q,)."""
    return math.fsum(float(piece.weights @ function(piece.points)) for piece in rule.chunks())


def joined(*rules: Rule) -> Rule:
    """One rule over the union of disjoint domains."""
    points = np.concatenate([rule.points for rule in rules], axis=1)
    return _frozen(points, np.concatenate([rule.weights for rule in rules]))


def _frozen(points: Array, weights: Array) -> Rule:
    """A rule that may be shared: its arrays refuse to be written."""
    points.flags.writeable = weights.flags.writeable = False
    return Rule(points, weights)


# ---------------------------------------------------------------- one dimension and products


@lru_cache(maxsize=256)
def gauss(order: int, panels: int = 1) -> tuple[Array, Array]:
    """Gauss–Legendre with `order` points on each of equal panels of (0, 1)."""
    if order < 1 or panels < 1:
        raise UserError(f"a Gauss rule needs order and panels ≥ 1, got {order} and {panels}")
    nodes, weights = np.polynomial.legendre.leggauss(order)
    starts = np.arange(panels)[:, None]
    return ((starts + (nodes + 1) / 2) / panels).ravel(), np.tile(weights / 2 / panels, panels)


@lru_cache(maxsize=64)
def cube(order: int) -> Rule:
    """Tensor Gauss rule of order³ points on the unit cube, exact to degree 2·order − 1 each way."""
    t, w = gauss(order)
    points = np.stack(np.meshgrid(t, t, t, indexing="ij")).reshape(3, -1)
    return _frozen(points, np.einsum("i,j,k->ijk", w, w, w).ravel())


@lru_cache(maxsize=64)
def tetrahedron(degree: int) -> Rule:
    """Collapsed Gauss–Jacobi rule on {x_i ≥ 0, Σ x_i ≤ 1}, exact for polynomials of that degree.

    x₁ = a, x₂ = b (1 − a), x₃ = c (1 − a)(1 − b), with Jacobian (1 − a)² (1 − b) taken into the
    Jacobi weights (Stroud, Approximate Calculation of Multiple Integrals, 1971). scikit-fem's
    rules of order 5..9 are exact to one degree less than they say.
    """
    if degree < 0:
        raise UserError(f"the degree of a rule must be ≥ 0, got {degree}")
    m = degree // 2 + 1
    (a, wa), (b, wb), (c, wc) = (jacobi(m, alpha) for alpha in (2, 1, 0))
    a, b, c = (t.ravel() for t in np.meshgrid(a, b, c, indexing="ij"))
    points = np.stack([a, b * (1 - a), c * (1 - a) * (1 - b)])
    return _frozen(points, np.einsum("i,j,k->ijk", wa, wb, wc).ravel())


def jacobi(m: int, alpha: int) -> tuple[Array, Array]:
    """Gauss rule on (0, 1) for the weight (1 − t)^alpha: Golub and Welsch, Math. Comp. 23 (1969).

    By eigenvalues, as in `scipy.special.roots_jacobi`, which takes 0.07 CPU seconds to load.
    """
    k = np.arange(1, m)
    middle = np.array(
        [-alpha / (alpha + 2), *(-(alpha**2) / (2 * k + alpha) / (2 * k + alpha + 2))]
    )
    beside = 2 * k * (k + alpha) / ((2 * k + alpha) * np.sqrt((2.0 * k + alpha) ** 2 - 1))
    nodes, vectors = np.linalg.eigh(np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1))
    return (nodes + 1) / 2, vectors[0] ** 2 / (alpha + 1)


@lru_cache(maxsize=64)
def kuhn_cube(degree: int) -> Rule:
    """The collapsed rule on the six Kuhn tetrahedra {x_i ≥ x_j ≥ x_k} of the unit cube."""
    tet = tetrahedron(degree)
    low, middle, high = tet.points[0], tet.points[:2].sum(axis=0), tet.points.sum(axis=0)
    ordered = np.stack([high, middle, low])
    points = np.concatenate([ordered[list(p)] for p in permutations(range(3))], axis=1)
    return _frozen(points, np.tile(tet.weights, 6))


def on_cells(reference: Rule, n: int) -> CellRule:
    """A rule of the unit cube (`cube`, `kuhn_cube`) repeated on the mesh of n cells per side."""
    if n < 1:
        raise UserError(f"n must be ≥ 1 cells per side, got {n}")
    return CellRule(reference, n, np.indices((n, n)).reshape(2, -1))
