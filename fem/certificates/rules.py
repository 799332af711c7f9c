"""Rules on prisms over unit squares, the cube among them, inside and on the boundary, by level.

Smooth fields get Gauss rules of increasing order. Towards a singular edge {x₁ = a, x₂ = b} panels
shrink geometrically, and deeper on every level: more Gauss points alone would not show that an
integral diverges. The rules share no points with those of any training.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from base.errors import UserError
from fem.rules.quadrature import Rule, gauss, joined
from fem.spaces import Array, Line

ORDERS = (8, 12, 20, 32)  # Gauss points per axis of a unit box, by level
EDGE_ORDERS = (5, 7, 10, 13)  # per panel, along the edge two more
DEPTHS = (3, 7, 11, 15)  # panels towards a singular edge; equal steps, see `settling`
SHRINK = 0.15
Square = tuple[int, int]  # the lower corner of a unit square
Segment = tuple[int, float, int, int]  # axis across, its coordinate, normal's sign, lower end


@dataclass(frozen=True, eq=False)
class FaceRule:
    """A rule on a planar face with its outward normal."""

    points: Array  # (3, N)
    normal: Array  # (3,)
    weights: Array  # (N,)

    @property
    def normals(self) -> Array:
        return np.broadcast_to(self.normal[:, None], self.points.shape)


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules of one level: the volume, the vertical faces, the two horizontal ends."""

    volume: Rule
    sides: tuple[FaceRule, ...]
    ends: tuple[FaceRule, ...]


@lru_cache(maxsize=12)
def prism_rules(squares: tuple[Square, ...], level: int, edge: Line | None = None) -> Rules:
    """Rules on (union of unit squares) × (0, 1), graded towards the edge."""
    corners = {(a + i, b + j) for a, b in squares for i in (0, 1) for j in (0, 1)}
    if edge is not None and edge not in corners:
        raise UserError(
            f"bounds at a singular edge need it at a corner of the base, not at x₁, x₂ = {edge}"
        )
    along = gauss(ORDERS[level - 1] if edge is None else EDGE_ORDERS[level - 1] + 2)
    plane = joined(*(_square(square, level, edge) for square in squares))
    z, w = along
    points = np.vstack([np.repeat(plane.points, z.size, axis=1), np.tile(z, len(plane))])
    volume = Rule(points, np.outer(plane.weights, w).ravel())
    ends = tuple(
        FaceRule(
            np.vstack([plane.points, np.full((1, len(plane)), level_)]),
            np.array([0.0, 0.0, 2 * level_ - 1]),
            plane.weights,
        )
        for level_ in (0.0, 1.0)
    )
    sides = tuple(_side(segment, level, edge, along) for segment in _outline(squares))
    return Rules(volume, sides, ends)


def line(low: float, level: int, towards: float | None) -> tuple[Array, Array]:
    """Gauss on [low, low + 1], in panels that shrink towards one of its ends."""
    if towards not in (low, low + 1):
        t, w = gauss(ORDERS[level - 1] if towards is None else 2 * EDGE_ORDERS[level - 1])
        return low + t, w
    t, w = _geometric(level)
    return (low + t, w) if towards == low else (low + 1 - t, w)


def _geometric(level: int) -> tuple[Array, Array]:
    """Panels that shrink towards 0 on (0, 1)."""
    steps = SHRINK ** np.arange(DEPTHS[level - 1] - 1.0, -1.0, -1.0)
    cuts = np.concatenate([[0.0], steps])
    t, w = gauss(EDGE_ORDERS[level - 1])
    sizes = np.diff(cuts)
    return (cuts[:-1, None] + sizes[:, None] * t).ravel(), np.outer(sizes, w).ravel()


def _square(square: Square, level: int, edge: Line | None) -> Rule:
    """A planar rule (2, N): tensor Gauss, or two triangles that meet in the singular corner."""
    corner = [square[k] + 1 if edge and edge[k] == square[k] + 1 else square[k] for k in (0, 1)]
    if edge is None or tuple(map(float, corner)) != edge:
        t, w = gauss(ORDERS[level - 1])
        x, y = np.meshgrid(square[0] + t, square[1] + t, indexing="ij")
        return Rule(np.stack([x.ravel(), y.ravel()]), np.outer(w, w).ravel())
    signs = np.array([[1.0 if corner[k] == square[k] else -1.0] for k in (0, 1)])
    r, w_r = _geometric(level)
    t, w_t = gauss(EDGE_ORDERS[level - 1] + 1)
    far, near = np.broadcast_arrays(r[:, None], r[:, None] * t)  # the triangle below the diagonal
    weights = np.outer(w_r * r, w_t).ravel()
    halves = (np.stack([far.ravel(), near.ravel()]), np.stack([near.ravel(), far.ravel()]))
    placed = (np.array(corner, float)[:, None] + signs * half for half in halves)
    return joined(*(Rule(points, weights) for points in placed))


def _outline(squares: tuple[Square, ...]) -> list[Segment]:
    """The unit segments of the boundary of a union of squares."""
    found: list[Segment] = []
    for square in squares:
        for axis in (0, 1):
            for sign in (-1, 1):
                next_to = tuple(c + sign * (k == axis) for k, c in enumerate(square))
                if next_to not in squares:
                    found.append((axis, float(square[axis] + (sign > 0)), sign, square[1 - axis]))
    return found


def _side(segment: Segment, level: int, edge: Line | None, along: tuple[Array, Array]) -> FaceRule:
    axis, at, sign, low = segment
    t, w = line(float(low), level, None if edge is None else edge[1 - axis])
    z, w_z = along
    points = np.empty((3, t.size * z.size))
    points[axis], points[1 - axis], points[2] = at, np.repeat(t, z.size), np.tile(z, t.size)
    normal = np.zeros(3)
    normal[axis] = sign
    return FaceRule(points, normal, np.outer(w, w_z).ravel())
