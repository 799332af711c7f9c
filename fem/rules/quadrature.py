"""Quadrature over the unit cube, its tetrahedra, and the cylinder {r ≤ 1, 0 ≤ x₃ ≤ 1}.

Everything is Gauss: on cells and tetrahedra of a mesh, in polar coordinates that follow r = 1
(an indicator function on a tensor rule is wrong by percents), and in polar coordinates about the
edge {x₁ = 1, x₂ = 0}, graded so that powers of √distance become polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi

from fem.errors import InputError

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
    """A rule of the unit cube on the cells of a mesh with n cells a side, made block by block.

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
        raise InputError(f"a Gauss rule needs order and panels ≥ 1, got {order} and {panels}")
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
        raise InputError(f"the degree of a rule must be ≥ 0, got {degree}")
    m = degree // 2 + 1
    (a, wa), (b, wb), (c, wc) = (_jacobi(m, alpha) for alpha in (2, 1, 0))
    a, b, c = (t.ravel() for t in np.meshgrid(a, b, c, indexing="ij"))
    points = np.stack([a, b * (1 - a), c * (1 - a) * (1 - b)])
    return _frozen(points, np.einsum("i,j,k->ijk", wa, wb, wc).ravel())


def _jacobi(m: int, alpha: int) -> tuple[Array, Array]:
    """Gauss rule on (0, 1) for the weight (1 − t)^alpha."""
    nodes, weights = roots_jacobi(m, alpha, 0)
    return (nodes + 1) / 2, weights / 2 ** (alpha + 1)


@lru_cache(maxsize=64)
def kuhn_cube(degree: int) -> Rule:
    """The collapsed rule on the six Kuhn tetrahedra {x_i ≥ x_j ≥ x_k} of the unit cube."""
    tet = tetrahedron(degree)
    low, middle, high = tet.points[0], tet.points[:2].sum(axis=0), tet.points.sum(axis=0)
    ordered = np.stack([high, middle, low])
    points = np.concatenate([ordered[list(p)] for p in permutations(range(3))], axis=1)
    return _frozen(points, np.tile(tet.weights, 6))


def on_cells(reference: Rule, n: int) -> CellRule:
    """A rule of the unit cube (`cube`, `kuhn_cube`) repeated on the mesh of n cells a side."""
    if n < 1:
        raise InputError(f"n must be ≥ 1 cells a side, got {n}")
    return CellRule(reference, n, np.indices((n, n)).reshape(2, -1))


# ---------------------------------------------------------------- polar rules that follow r = 1


@dataclass(frozen=True)
class Resolution:
    """How fine a polar rule is: Gauss points a panel, panels along angle, radius and height."""

    order: int
    angle: int
    radius: int
    height: int

    def refined(self) -> Resolution:
        return Resolution(self.order, 2 * self.angle, 2 * self.radius, 2 * self.height)


@lru_cache(maxsize=32)
def inside_cylinder(res: Resolution) -> Rule:
    """{r ≤ 1} within the unit cube: a quarter of the cylinder."""
    theta, w = _interval(res, 0, np.pi / 2)
    return _prism(*_polar(res, theta, w, 0 * theta, 1 + 0 * theta), res)


@lru_cache(maxsize=32)
def outside_cylinder(res: Resolution) -> Rule:
    """{r > 1} within the unit cube: r from 1 to 1/max(cos θ, sin θ), split at θ = π/4."""
    halves = []
    for start in (0, np.pi / 4):
        theta, w = _interval(res, start, start + np.pi / 4)
        wall = 1 / np.maximum(np.cos(theta), np.sin(theta))
        halves.append(_prism(*_polar(res, theta, w, 1 + 0 * theta, wall), res))
    return joined(*halves)


@lru_cache(maxsize=32)
def whole_cylinder(res: Resolution) -> Rule:
    """The training domain {r ≤ 1, 0 ≤ x₃ ≤ 1}: four turns of its quarter in the cube."""
    return _turned(inside_cylinder(res), [(1, 1), (-1, 1), (-1, -1), (1, -1)])


# ------------------------------------------- polar rules about the singular edge (1, 0, x₃)
#
# x = (1 − R cos α, R sin α), 0 < α < π/2: the circle r = 1 passes through the edge and reads
# R = 2 cos α; the walls x₁ = 0 and x₂ = 1 are R = 1/cos α and R = 1/sin α; all three meet at
# α = π/4. R = σ² makes powers of √R polynomial, α = π/2 − β²π/4 does so for powers of √(2 cos α).


@lru_cache(maxsize=32)
def inside_cylinder_at_edge(res: Resolution) -> Rule:
    """As `inside_cylinder`, for fields singular at the edge."""
    alpha, w = _interval(res, 0, np.pi / 4)
    to_wall = _polar(res, alpha, w, 0 * alpha, 1 / np.cos(alpha), power=2)
    alpha, w = _towards_right_angle(res, np.pi / 4)
    to_circle = _polar(res, alpha, w, 0 * alpha, 2 * np.cos(alpha), power=2)
    return joined(*(_prism(*_seen_from_edge(part), res) for part in (to_wall, to_circle)))


@lru_cache(maxsize=32)
def outside_cylinder_at_edge(res: Resolution) -> Rule:
    """As `outside_cylinder`, for fields singular at the edge."""
    alpha, w = _towards_right_angle(res, np.pi / 4)
    part = _polar(res, alpha, w, 2 * np.cos(alpha), 1 / np.sin(alpha), power=2)
    return _prism(*_seen_from_edge(part), res)


@lru_cache(maxsize=32)
def whole_cylinder_at_edge(res: Resolution) -> Rule:
    """As `whole_cylinder`, for fields singular at the edge."""
    alpha, w = _towards_right_angle(res, np.pi / 2)
    half = _polar(res, alpha, w, 0 * alpha, 2 * np.cos(alpha), power=2)
    return _turned(_prism(*_seen_from_edge(half), res), [(1, 1), (1, -1)])


def _interval(res: Resolution, start: float, end: float) -> tuple[Array, Array]:
    t, w = gauss(res.order, res.angle)
    return start + (end - start) * t, (end - start) * w


def _towards_right_angle(res: Resolution, width: float) -> tuple[Array, Array]:
    """α = π/2 − width β², β in (0, 1): quadratic grading towards π/2."""
    beta, w = gauss(res.order, res.angle)
    return np.pi / 2 - width * beta**2, 2 * width * beta * w


def _polar(
    res: Resolution, angle: Array, w_angle: Array, r_from: Array, r_to: Array, power: int = 1
) -> tuple[Array, Array, Array]:
    """Planar points (r cos, r sin) and weights, r = σ^power between two curves r(angle)."""
    t, w = gauss(res.order, res.radius)
    s_from, s_to = (r[:, None] ** (1 / power) for r in (r_from, r_to))
    sigma = s_from + (s_to - s_from) * t
    r = sigma**power
    weights = w_angle[:, None] * w * (s_to - s_from) * power * sigma ** (power - 1) * r
    return r * np.cos(angle)[:, None], r * np.sin(angle)[:, None], weights


def _seen_from_edge(part: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    towards_axis, up, weights = part
    return 1 - towards_axis, up, weights


def _prism(x1: Array, x2: Array, weights: Array, res: Resolution) -> Rule:
    """A planar rule times Gauss in 0 < x₃ < 1."""
    x3, w3 = gauss(res.order, res.height)
    planar = np.stack([x1.ravel(), x2.ravel()])
    points = np.concatenate([np.repeat(planar, x3.size, axis=1), [np.tile(x3, x1.size)]])
    return _frozen(points, np.outer(weights, w3).ravel())


def _turned(rule: Rule, signs: list[tuple[int, int]]) -> Rule:
    """The rule and its mirror images in x₁ and x₂."""
    return joined(*(Rule(rule.points * np.array([[a], [b], [1]]), rule.weights) for a, b in signs))
