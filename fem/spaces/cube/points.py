"""u_h and curl u_h at points of the unit cube, O(1) per point: cells are found by rounding down."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from base.errors import UserError
from fem.solvers.stencil import layout
from fem.spaces import Array
from fem.spaces.cube.cells import DIRECTIONS, HEX_CLASSES, TET_CLASSES

OUTSIDE = 1e-12  # how far over the boundary a point may lie, by rounding
PAIRS = np.array(list(combinations(range(4), 2)))
CLASS_OF = np.full(8, -1)  # by 4 d₁ + 2 d₂ + d₃
CLASS_OF[DIRECTIONS @ [4, 2, 1]] = np.arange(TET_CLASSES)


def evaluate(classes: int, x: NDArray[Any], points: Array, n: int, curl: bool = False) -> Array:
    """u_h, or its curl, for coefficients of the hexahedral or the tetrahedral space."""
    flat, result = _checked(points)
    if classes == HEX_CLASSES:
        _hexahedra(x, flat, result, layout(n, HEX_CLASSES), n, curl)
    else:
        _tetrahedra(x, flat, result, layout(n, TET_CLASSES), n, curl, PAIRS, CLASS_OF)
    return result.reshape(points.shape)


def _checked(points: Array) -> tuple[Array, Array]:
    points = np.asarray(points, dtype=float)
    if points.ndim < 1 or points.shape[0] != 3:
        raise UserError(f"points must have shape (3, ...), got {points.shape}")
    flat = np.ascontiguousarray(points.reshape(3, -1))
    inside = ((flat >= -OUTSIDE) & (flat <= 1 + OUTSIDE)).all(axis=0)
    if not inside.all():
        where = flat[:, np.flatnonzero(~inside)[0]].tolist()
        raise UserError(f"the point {where} lies outside the unit cube, where u_h is defined")
    return flat, np.zeros_like(flat)


@njit(nogil=True, cache=True)
def _hexahedra(x: Any, points: Any, result: Any, at: Any, n: int, curl: bool) -> None:
    """Σ over the four edges along each axis of x · ℓ_a ℓ_b e_c, scaled by n (curl: n²)."""
    cell, local = np.empty(3, np.int64), np.empty(3)
    corner = np.empty(3, np.int64)
    for q in range(points.shape[1]):
        _locate(points, q, n, cell, local)
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            for oa in range(2):
                for ob in range(2):
                    corner[c], corner[a], corner[b] = cell[c], cell[a] + oa, cell[b] + ob
                    coefficient = x[_position(at, c, corner)] * n
                    hat_a = local[a] if oa else 1 - local[a]
                    hat_b = local[b] if ob else 1 - local[b]
                    if curl:
                        result[a, q] += coefficient * n * hat_a * (2 * ob - 1)
                        result[b, q] -= coefficient * n * hat_b * (2 * oa - 1)
                    else:
                        result[c, q] += coefficient * hat_a * hat_b


@njit(nogil=True, cache=True)
def _tetrahedra(
    x: Any, points: Any, result: Any, at: Any, n: int, curl: bool, pairs: Any, class_of: Any
) -> None:
    """Σ_{a<b} x (λ_a ∇λ_b − λ_b ∇λ_a) on the path of corners 0, e_{p₁}, e_{p₁} + e_{p₂}, …."""
    cell, local, order = np.empty(3, np.int64), np.empty(3), np.empty(3, np.int64)
    lam, grad, corners = np.empty(4), np.empty((4, 3)), np.empty((4, 3), np.int64)
    for q in range(points.shape[1]):
        _locate(points, q, n, cell, local)
        _descending(local, order)
        lam[0], lam[3] = 1 - local[order[0]], local[order[2]]
        lam[1], lam[2] = local[order[0]] - local[order[1]], local[order[1]] - local[order[2]]
        grad[:] = 0
        for v in range(3):
            grad[v, order[v]] -= n
            grad[v + 1, order[v]] += n
        for v in range(4):
            for c in range(3):
                corners[v, c] = cell[c] + (order[0] == c and v > 0)
                corners[v, c] += (order[1] == c and v > 1) + (order[2] == c and v > 2)
        for pair in range(6):
            a, b = pairs[pair, 0], pairs[pair, 1]
            code = 0
            for c in range(3):
                code = 2 * code + corners[b, c] - corners[a, c]
            coefficient = x[_position(at, class_of[code], corners[a])]
            for c in range(3):
                if curl:
                    e, f = (c + 1) % 3, (c + 2) % 3
                    cross = grad[a, e] * grad[b, f] - grad[a, f] * grad[b, e]
                    result[c, q] += coefficient * 2 * cross
                else:
                    result[c, q] += coefficient * (lam[a] * grad[b, c] - lam[b] * grad[a, c])


@njit(nogil=True, cache=True)
def _locate(points: Any, q: int, n: int, cell: Any, local: Any) -> None:
    """The cube of point q and its coordinates in it; cubes own their lower faces."""
    for a in range(3):
        cell[a] = min(max(int(points[a, q] * n), 0), n - 1)
        local[a] = points[a, q] * n - cell[a]


@njit(nogil=True, cache=True)
def _descending(local: Any, order: Any) -> None:
    """The permutation with local[order[0]] ≥ local[order[1]] ≥ local[order[2]]."""
    for a in range(3):
        order[a] = a
    for a, b in ((0, 1), (1, 2), (0, 1)):
        if local[order[a]] < local[order[b]]:
            order[a], order[b] = order[b], order[a]


@njit(nogil=True, cache=True)
def _position(at: Any, c: int, vertex: Any) -> int:
    shape = at.shapes[c]
    return at.starts[c] + (vertex[0] * shape[1] + vertex[1]) * shape[2] + vertex[2]
