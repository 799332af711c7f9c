"""Rules that stand on a mesh of the cube *and* split it exactly along the circle r = 1.

A finite-element field is smooth on each cell only, so a polar rule does not resolve it; an error
inside and outside the cylinder needs the cells that r = 1 cuts. All meshes here are columns of
square cross-section: a planar rule of the cut squares, times Gauss rules in x₃ that end where
the vertical line meets a tetrahedron's face (Kuhn's cells: at the smaller and the larger of the
two local coordinates).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.rules.polar import AXIS, BACK, CORNERS, FAR, RIGHT, circle_from_far
from fem.rules.quadrature import (
    CHUNK,
    Array,
    CellRule,
    Quadrature,
    Rule,
    Union,
    cube,
    gauss,
    kuhn_cube,
)
from fem.spaces import Line

COARSE = 8  # outer panels are no wider than 1/8: at n = 1 the arc is not one polynomial
EDGE_ORDER = 10  # Gauss points each way in the sectors about the singular edge


@dataclass(frozen=True)
class Planar:
    """A rule in the (x₁, x₂) plane with a mark for r < 1."""

    points: Array  # (2, P)
    weights: Array  # (P,)
    inside: NDArray[np.bool_]  # (P,)

    def part(self, inside: bool) -> Planar:
        chosen = (self.inside == inside) & (self.weights > 0)
        return Planar(self.points[:, chosen], self.weights[chosen], self.inside[chosen])

    def mirrored(self) -> Planar:
        """x₁ and x₂ exchanged."""
        return Planar(self.points[::-1], self.weights, self.inside)

    def seen_from(self, signs: tuple[int, int], centre: Line) -> Planar:
        """The origin moved to the centre, the axes turned by signs."""
        points = np.array(centre)[:, None] + np.array(signs)[:, None] * self.points
        return Planar(points, self.weights, self.inside)


@dataclass(frozen=True)
class ColumnRule:
    """A planar rule times Gauss rules in x₃ on each of n layers of tetrahedra or of cubes."""

    planar: Planar
    n: int
    order: int
    tets: bool

    def __len__(self) -> int:
        return self.planar.weights.size * self.n * self.order * (3 if self.tets else 1)

    def chunks(self, size: int = CHUNK) -> Iterator[Rule]:
        count = self.planar.weights.size
        block = max(1, size * count // max(1, len(self)))
        for start in range(0, count, block):
            piece = slice(start, start + block)
            height, weights = self._heights(self.planar.points[:, piece])
            x3 = (np.arange(self.n)[:, None] + height[:, None, :]) / self.n
            base = np.broadcast_to(self.planar.points[:, piece, None, None], (2, *x3.shape))
            weights = self.planar.weights[piece, None, None] * weights[:, None, :] / self.n
            weights = np.broadcast_to(weights, x3.shape)
            yield Rule(np.concatenate([base, x3[None]]).reshape(3, -1), weights.reshape(-1))

    def _heights(self, points: Array) -> tuple[Array, Array]:
        """Local heights and weights (P, …) of one layer, broken at the tetrahedra's faces."""
        local = np.sort(points * self.n % 1, axis=0)
        walls = [0 * local[0], *(local if self.tets else ()), 1 + 0 * local[0]]
        return _between(np.stack(walls), self.order)


def split_mesh(
    n: int, degree: int = 4, *, tets: bool = True, edge: Line | None = None
) -> dict[str, Quadrature]:
    """The mesh of n cells per side, divided into `inside` and `outside` the cylinder.

    Exact on whole cells for piecewise polynomials of the degree; on cut cells geometrically
    convergent in it. The cells at the `edge` of the cube are graded, as √distance requires.
    """
    if n < 1 or degree < 0:
        raise UserError(f"n must be ≥ 1 and degree ≥ 0, got n = {n}, degree = {degree}")
    if edge is not None and edge not in CORNERS:
        raise UserError(
            "the rules on cut cells are graded towards a vertical edge of the cube, x₁ and x₂ "
            f"0 or 1, not x₁, x₂ = {edge}"
        )
    reference = kuhn_cube(degree) if tets else cube(degree // 2 + 1)
    order = degree // 2 + 2  # one more: a triangle's width adds a degree each time
    i, j = columns = np.indices((n, n)).reshape(2, -1)
    within, beyond = (i + 1) ** 2 + (j + 1) ** 2 <= n * n, i**2 + j**2 >= n * n
    corner = _corner_column(edge, n)
    special = (columns == np.array(corner)[:, None]).all(axis=0)
    within, beyond = within & ~special, beyond & ~special
    cut = columns[:, ~within & ~beyond & ~special]
    planar = _joined([_cut_columns(cut, n, order, edge), _at_corner(edge, 1 / n)])

    def part(whole: NDArray[np.bool_], inside: bool) -> Union:
        divided = ColumnRule(planar.part(inside), n, order, tets)
        return Union((CellRule(reference, n, columns[:, whole]), divided))

    return {"inside": part(within, True), "outside": part(beyond, False)}


def _corner_column(edge: Line | None, n: int) -> tuple[int, int]:
    """The column whose rule is polar altogether: that of (0, 0) or (1, 1), else none (−1)."""
    return {AXIS: (0, 0), FAR: (n - 1, n - 1)}.get(edge or RIGHT, (-1, -1))


def _cut_columns(columns: NDArray[np.int64], n: int, order: int, edge: Line | None) -> Planar:
    """Planar rules on the squares that the circle cuts.

    Where x₂ ≥ x₁ the arc x₂ = √(1 − x₁²) has slope ≥ −1 and x₁ is the outer variable; the other
    half is the mirror image. A square on the diagonal is halved by it.
    """
    pieces = [_nothing()]
    for i, j in columns.T:
        if i <= j:
            at_edge = edge == BACK and (i, j) == (0, n - 1)
            pieces.append(_cut_square(i, j, n, order, skip_corner=at_edge))
        if i >= j:
            at_edge = edge == RIGHT and (i, j) == (n - 1, 0)
            pieces.append(_cut_square(j, i, n, order, skip_corner=at_edge).mirrored())
    return _joined(pieces)


def _at_corner(edge: Line | None, h: float) -> Planar:
    """What the columns of width h leave to polar coordinates about the singular edge."""
    if edge == RIGHT:
        return _edge_triangle(h)
    if edge == BACK:
        return _edge_triangle(h).mirrored()
    if edge is None:
        return _nothing()
    half = _half_square_at_axis(h) if edge == AXIS else _half_square_at_far(h)
    return _joined([half, half.mirrored()])


def _cut_square(i: int, j: int, n: int, order: int, skip_corner: bool = False) -> Planar:
    """The square (i, j), i ≤ j, or its half x₂ ≥ x₁ if i = j, broken at arc and local diagonal.

    `skip_corner` leaves out the triangle above the local diagonal, at the corner (0, 1).
    """
    left, right, bottom, top = i / n, (i + 1) / n, j / n, (j + 1) / n
    shift = (j - i) / n  # the local diagonal is x₂ = x₁ + shift
    meets_diagonal = (np.sqrt(2 - shift**2) - shift) / 2
    meets_sides = [np.sqrt(max(0.0, 1 - side**2)) for side in (bottom, top)]
    breaks = np.linspace(left, right, -(-COARSE // n) + 1)
    breaks = np.sort(np.clip([*breaks, meets_diagonal, *meets_sides], left, right))
    x, w_outer = (values.ravel() for values in _between(breaks[:, None], order))
    diagonal = np.clip(x + shift, bottom, top)
    floor, ceiling = (diagonal if i == j else bottom + 0 * x), top + 0 * x
    if skip_corner:
        ceiling = diagonal
    arc = np.clip(np.sqrt(1 - x**2), floor, ceiling)
    walls = np.sort(np.stack([floor, np.clip(diagonal, floor, ceiling), arc, ceiling]), axis=0)
    y, w_inner = _between(walls, order)
    x = np.repeat(x[:, None], y.shape[1], axis=1)
    points = np.stack([x.ravel(), y.ravel()])
    return Planar(points, (w_outer[:, None] * w_inner).ravel(), np.hypot(*points) < 1)


def _edge_triangle(h: float) -> Planar:
    """The triangle {1 − x₁ + x₂ ≤ h} at the edge (1, 0), in polar coordinates about it.

    x = (1 − R cos α, R sin α): the circle is R = 2 cos α, the triangle's far side
    R = h/(cos α + sin α), and they meet at α* = π/8 + arccos((h − 1)/√2)/2. R = σ², and α is graded
    towards π/2 beyond α*, as in `fem.rules.polar`.
    """
    meet = np.pi / 8 + np.arccos((h - 1) / np.sqrt(2)) / 2
    t, w = gauss(EDGE_ORDER)
    before, w_before = meet * t, meet * w
    after, w_after = np.pi / 2 - (np.pi / 2 - meet) * t**2, 2 * (np.pi / 2 - meet) * t * w
    side = [h / (np.cos(alpha) + np.sin(alpha)) for alpha in (before, after)]
    circle = 2 * np.cos(after)
    sectors = [
        (before, w_before, 0 * before, side[0], True),
        (after, w_after, 0 * after, circle, True),
        (after, w_after, circle, side[1], False),
    ]
    return _joined([_sector(*sector).seen_from((-1, 1), RIGHT) for sector in sectors])


def _half_square_at_axis(h: float) -> Planar:
    """{x₂ ≤ x₁ ≤ h} about the axis (0, 0): to the circle R = 1, then to the side R = h/cos α."""
    t, w = gauss(EDGE_ORDER)
    alpha, w = np.pi / 4 * t, np.pi / 4 * w
    side = h / np.cos(alpha)
    if h < 1:
        return _sector(alpha, w, 0 * alpha, side, True)
    circle = 1 + 0 * alpha
    sectors = [(0 * alpha, circle, True), (circle, side, False)]
    return _joined([_sector(alpha, w, *sector) for sector in sectors])


def _half_square_at_far(h: float) -> Planar:
    """{1 − x₂ ≤ 1 − x₁ ≤ h} about (1, 1), where the circle is `circle_from_far`.

    It enters by the side R = h/cos α, at (1 − h, √(h (2 − h))), unless the square lies beyond it.
    At h = 1 it touches both corners, and 10 points leave 3e-8; twice as many 1e-12.
    """
    meet = min(np.arctan((1 - np.sqrt(h * (2 - h))) / h), np.pi / 4)
    order = EDGE_ORDER if h < 1 else 2 * EDGE_ORDER
    t, w = gauss(order)
    before, w_before = meet * t, meet * w
    after, w_after = meet + (np.pi / 4 - meet) * t**2, 2 * (np.pi / 4 - meet) * t * w
    circle = circle_from_far(after)
    sectors = [
        (before, w_before, 0 * before, h / np.cos(before), False),
        (after, w_after, 0 * after, circle, False),
        (after, w_after, circle, h / np.cos(after), True),
    ]
    return _joined([_sector(*sector, order).seen_from((-1, -1), FAR) for sector in sectors])


def _sector(
    alpha: Array, w: Array, r_from: Array, r_to: Array, inside: bool, order: int = EDGE_ORDER
) -> Planar:
    """Polar about the origin, R = σ² between two curves R(α)."""
    sigma, w_sigma = _between(np.sqrt(np.stack([r_from, r_to])), order)
    R = sigma**2
    weights = (w[:, None] * w_sigma * 2 * sigma * R).ravel()
    points = np.stack([R * np.cos(alpha)[:, None], R * np.sin(alpha)[:, None]])
    return Planar(points.reshape(2, -1), weights, np.full(weights.size, inside))


def _between(walls: Array, order: int) -> tuple[Array, Array]:
    """Gauss rules between consecutive walls (K, P): nodes and weights (P, (K − 1)·order)."""
    t, w = gauss(order)
    start, width = walls[:-1].T[:, :, None], np.diff(walls, axis=0).T[:, :, None]
    nodes = start + width * t
    return nodes.reshape(len(nodes), -1), (width * w).reshape(len(nodes), -1)


def _joined(pieces: list[Planar]) -> Planar:
    points = np.concatenate([piece.points for piece in pieces], axis=1)
    weights = np.concatenate([piece.weights for piece in pieces])
    return Planar(points, weights, np.concatenate([piece.inside for piece in pieces]))


def _nothing() -> Planar:
    return Planar(np.zeros((2, 0)), np.zeros(0), np.zeros(0, bool))
