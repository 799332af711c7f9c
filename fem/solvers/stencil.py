"""Sparse maps between vectors on the uniform cube as stencils, applied line by line.

Away from the boundary the row of an edge depends on its class alone. At the boundary it depends on
which of the cubes around the edge exist, so a vertex has one of three *sides* per axis: 0 at the
lower end, 2 at the upper, 1 between. A `Stencil` lists for each class and each of the 27 sides the
terms (source class, offset, coefficient); the kernels take a line along the last axis at a time,
with the sides of its inner vertices in common, so that the compiler vectorises it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem.spaces.cube.cells import (
    DIRECTIONS,
    HEX_CLASSES,
    KUHN,
    TET_CLASSES,
    Index,
    local_matrices,
    shapes,
)

Terms = dict[tuple[int, tuple[int, ...]], float]  # (source class, offset) -> coefficient
UNROLL = 4  # terms taken together by the kernels: fewer passes over the line


class Layout(NamedTuple):
    """Where a vector keeps the arrays of its classes: starts (C,) and shapes (C, 3)."""

    starts: Index
    shapes: Index


class Stencil(NamedTuple):
    """Terms by class and side; the counts are multiples of UNROLL, filled up with zeros.

    Term t of row (c, i, j, k) is coefficients[t] x[first[t] + i by_i[t] + j by_j[t] + k]: with the
    layout of x worked into it a product takes 10 to 20 % less, most on short lines.
    """

    counts: Index  # (C, 27)
    first: Index  # (C, 27, T)
    by_i: Index  # (C, 27, T)
    by_j: Index  # (C, 27, T)
    coefficients: NDArray[Any]  # (C, 27, T)


def layout(n: int, classes: int) -> Layout:
    dims = np.array(shapes(n, classes))
    return Layout(np.concatenate([[0], dims.prod(axis=1).cumsum()[:-1]]), dims)


def system_stencil(n: int, dtype: Any, curls: float = 1.0) -> tuple[Stencil, NDArray[Any]]:
    """The matrix of (curls · curl u, curl v) + (u, v) on the Kuhn tetrahedra, and its diagonal by
    class and side, (7, 27)."""
    mass, stiffness = local_matrices(KUHN)
    matrix = mass / n + curls * stiffness * n

    def terms(c: int, side: tuple[int, ...]) -> Terms:
        total: Terms = defaultdict(float)
        for cube in _cubes(DIRECTIONS[c], side):
            row = KUHN.edges.index((c, tuple(-o for o in cube)))
            for column, (source, offset) in enumerate(KUHN.edges):
                if matrix[row, column]:
                    total[source, _sum(cube, offset)] += matrix[row, column]
        return total

    rows = {key: terms(*key) for key in _rows(TET_CLASSES)}
    diagonal = np.ones((TET_CLASSES, 27), dtype)
    for (c, side), row in rows.items():
        diagonal[c, _code(side)] = row[c, (0, 0, 0)]
    return _tabulate(rows, TET_CLASSES, layout(n, TET_CLASSES), dtype), diagonal


def interpolation_terms(c: int) -> Terms:
    """∫ u·t over a tetrahedral edge of class c for u in the hexahedral space.

    Along the diagonal of k axes the hats of the k − 1 others vary: ∫ t^a (1−t)^b dt, a + b = k − 1,
    is 1; ½, ½; ⅓, ⅙, ⅙, ⅓.
    """
    axes = np.flatnonzero(DIRECTIONS[c]).tolist()
    weight = [{0: 1.0}, {0: 1 / 2, 1: 1 / 2}, {0: 1 / 3, 1: 1 / 6, 2: 1 / 3}][len(axes) - 1]
    terms: Terms = {}
    for axis in axes:
        others = [a for a in axes if a != axis]
        for raised in product((0, 1), repeat=len(others)):
            offset = [0, 0, 0]
            for a, o in zip(others, raised, strict=True):
                offset[a] = o
            terms[axis, tuple(offset)] = weight[sum(raised)]
    return terms


def prolongation(n: int, dtype: Any) -> Stencil:
    """Π: from the hexahedral space to the tetrahedral one; the same at every side."""
    rows = {(c, side): interpolation_terms(c) for c, side in _rows(TET_CLASSES)}
    return _tabulate(rows, TET_CLASSES, layout(n, HEX_CLASSES), dtype)


def restriction(n: int, dtype: Any) -> Stencil:
    """Πᵀ, without the terms that would reach over the boundary."""
    rows = {}
    for axis, side in _rows(HEX_CLASSES):
        rows[axis, side] = {
            (c, tuple(-o for o in offset)): weight
            for c in range(TET_CLASSES)
            for (target, offset), weight in interpolation_terms(c).items()
            if target == axis and tuple(-o for o in offset) in _reach(DIRECTIONS[c], axis, side)
        }
    return _tabulate(rows, HEX_CLASSES, layout(n, TET_CLASSES), dtype)


def _reach(d: Index, axis: int, side: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Offsets from an edge along `axis` to the edges of direction d that exist at that side."""
    ranges = [
        (0,) if a == axis or not d[a] else {0: (0,), 1: (-1, 0), 2: (-1,)}[side[a]]
        for a in range(3)
    ]
    return set(product(*ranges))


def _rows(classes: int) -> list[tuple[int, tuple[int, ...]]]:
    """Classes and sides that occur: along its own direction an edge is always inside (1)."""
    return [
        (c, side)
        for c in range(classes)
        for side in product(range(3), repeat=3)
        if all(s == 1 for s, d in zip(side, DIRECTIONS[c], strict=True) if d)
    ]


def _cubes(d: Index, side: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Offsets of the cubes around an edge of direction d at that side."""
    ranges = [(0,) if d[a] else {0: (0,), 1: (-1, 0), 2: (-1,)}[side[a]] for a in range(3)]
    return list(product(*ranges))


def _sum(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(p + q for p, q in zip(a, b, strict=True))


def _code(side: tuple[int, ...]) -> int:
    return 9 * side[0] + 3 * side[1] + side[2]


def _tabulate(
    rows: dict[tuple[int, tuple[int, ...]], Terms], classes: int, at: Layout, dtype: Any
) -> Stencil:
    """The terms as positions in vectors of the layout `at`."""
    most = -(-max(map(len, rows.values())) // UNROLL) * UNROLL
    counts = np.zeros((classes, 27), np.int64)
    first, by_i, by_j = (np.zeros((classes, 27, most), np.int64) for _ in range(3))
    coefficients = np.zeros((classes, 27, most), dtype)
    for (c, side), terms in rows.items():
        where, count = (c, _code(side)), len(terms)
        padded = sorted(terms.items())
        padded += [(padded[0][0], 0.0)] * (-count % UNROLL)
        counts[where] = len(padded)
        for t, ((source, (di, dj, dk)), coefficient) in enumerate(padded):
            _, width, length = at.shapes[source]
            first[where][t] = at.starts[source] + (di * width + dj) * length + dk
            by_i[where][t], by_j[where][t] = width * length, length
            coefficients[where][t] = coefficient
    return Stencil(counts, first, by_i, by_j, coefficients)
