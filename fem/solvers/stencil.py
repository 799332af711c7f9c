"""Sparse maps onto the edges of the uniform cube, or of a block of it, as stencils.

Away from the boundary the row of an edge depends on its class alone. At the boundary it depends on
which of the cubes around the edge exist, so a vertex has one of three *sides* per axis: 0 at the
lower end, 2 at the upper, 1 between. A `Stencil` lists for each class and each of the 27 sides the
terms (source array, offset, coefficient); the kernels take a line along the last axis at a time,
with the sides of its inner vertices in common, so that the compiler vectorises it.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem.solvers import stencil_kernels
from fem.spaces import Array
from fem.spaces.cube.cells import (
    DIRECTIONS,
    HEX_CLASSES,
    KUHN,
    TET_CLASSES,
    Cell,
    Index,
    local_matrices,
)

UNROLL = 4  # terms taken together by the kernels: fewer passes over the line
DROPPED = 1e-14  # of the largest coefficient: what rounding leaves of terms that cancel
Side = tuple[int, ...]


class Layout(NamedTuple):
    """Where a vector keeps its arrays on a block of cubes: starts (C,) and shapes (C, 3)."""

    starts: Index
    shapes: Index
    cells: Index  # (3,)


class Terms(NamedTuple):
    """Coefficients of the entries of source arrays, at offsets from the row's own vertex."""

    sources: Index  # (T,)
    offsets: Index  # (T, 3)
    coefficients: Array  # (T,)


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


class Rows:
    """Terms for every class and side, which become a stencil for each layout of the source."""

    def __init__(self, classes: int, rows: dict[tuple[int, Side], Terms]) -> None:
        most = -(-max(len(terms.sources) for terms in rows.values()) // UNROLL) * UNROLL
        self._counts = np.zeros((classes, 27), np.int64)
        self._sources = np.zeros((classes, 27, most), np.int64)
        self._offsets = np.zeros((classes, 27, most, 3), np.int64)
        self._coefficients = np.zeros((classes, 27, most))
        for (c, side), terms in rows.items():
            where, count = (c, _code(side)), len(terms.sources)
            self._counts[where] = -(-count // UNROLL) * UNROLL
            for table, column in ((self._sources, terms.sources), (self._offsets, terms.offsets)):
                table[where] = column[0]
                table[where][:count] = column
            self._coefficients[where][:count] = terms.coefficients

    def stencil(self, at: Layout, dtype: Any = float) -> Stencil:
        """The terms as positions in vectors of the layout `at`."""
        by_j = at.shapes[self._sources, 2]
        by_i = at.shapes[self._sources, 1] * by_j
        di, dj, dk = np.moveaxis(self._offsets, -1, 0)
        first = at.starts[self._sources] + di * by_i + dj * by_j + dk
        return Stencil(self._counts, first, by_i, by_j, self._coefficients.astype(dtype))

    def diagonal(self) -> Array:
        """The coefficients of the rows' own entries, (C, 27); 1 for sides that do not occur."""
        own = self._sources == np.arange(len(self._sources))[:, None, None]
        own &= ~self._offsets.any(axis=-1)
        total = np.sum(self._coefficients * own, axis=-1)
        return np.where(self._counts > 0, total, 1.0)


def layout(cells: int | tuple[int, ...], classes: int) -> Layout:
    """Edges by class, on n³ cubes or on a block of cubes."""
    return arrays(cells, np.broadcast_to(cells, 3) + 1 - DIRECTIONS[:classes])


def arrays(cells: int | tuple[int, ...], shapes: Index) -> Layout:
    """Arrays of given shapes (C, 3), one after another."""
    starts = np.concatenate([[0], shapes.prod(axis=1).cumsum()[:-1]])
    return Layout(starts, shapes, np.array(np.broadcast_to(cells, 3)))


def applied(stencil: Stencil, x: NDArray[Any], to: Layout) -> NDArray[Any]:
    """The product S x, in the layout `to`."""
    out = np.empty(int(to.shapes.prod(axis=1).sum()), x.dtype)
    stencil_kernels.apply(out, x, to, stencil, 0, to.cells[0] + 1)
    return out


def assembled(cell: Cell, matrix: Array) -> Rows:
    """The sum over cubes of local maps from values on a lattice to the edges of a cube.

    `matrix` is (edges, components, m + 1, m + 1, m + 1) for the lattice /m. Source arrays are its
    sublattices of spacing h, m³ per component, each over the vertices.
    """
    m = matrix.shape[-1] - 1
    numbers = {edge: number for number, edge in enumerate(cell.edges)}
    rows = {}
    for c, side in _rows(cell.classes):
        total = np.zeros((matrix.shape[1], *[2 * m + 1] * 3))  # from −1 to 1 around the vertex
        for cube in _cubes(DIRECTIONS[c], side):
            window = tuple(slice(m * (1 + o), m * (2 + o) + 1) for o in cube)
            total[:, *window] += matrix[numbers[c, tuple(-o for o in cube)]]
        places = np.argwhere(abs(total) > DROPPED * abs(total).max())
        component, point = places[:, :1], places[:, 1:] - m
        sources = ((component * m + point[:, :1] % m) * m + point[:, 1:2] % m) * m
        sources += point[:, 2:] % m
        rows[c, side] = Terms(sources[:, 0], point // m, total[tuple(places.T)])
    return Rows(cell.classes, rows)


def system_rows(n: int, curls: float = 1.0) -> Rows:
    """The matrix of (curls · curl u, curl v) + (u, v) on the Kuhn tetrahedra."""
    mass, stiffness = local_matrices(KUHN)
    matrix = np.zeros((len(KUHN.edges), TET_CLASSES, 2, 2, 2))
    for column, (source, offset) in enumerate(KUHN.edges):
        i, j, k = offset
        matrix[:, source, i, j, k] = (mass / n + curls * stiffness * n)[:, column]
    return assembled(KUHN, matrix)


def interpolation_terms(c: int) -> dict[tuple[int, Side], float]:
    """∫ u·t over a tetrahedral edge of class c for u in the hexahedral space, by (class, offset).

    Along the diagonal of k axes the hats of the k − 1 others vary: ∫ t^a (1−t)^b dt, a + b = k − 1,
    is 1; ½, ½; ⅓, ⅙, ⅙, ⅓.
    """
    axes = np.flatnonzero(DIRECTIONS[c]).tolist()
    weight = [{0: 1.0}, {0: 1 / 2, 1: 1 / 2}, {0: 1 / 3, 1: 1 / 6, 2: 1 / 3}][len(axes) - 1]
    terms = {}
    for axis in axes:
        others = [(0, 1) if a in axes and a != axis else (0,) for a in range(3)]
        for offset in product(*others):
            terms[axis, offset] = weight[sum(offset)]
    return terms


@cache
def trapezoidal_rule() -> Rows:
    """½ (u(v) + u(v + d))·d on every edge, from the three components at the vertices."""
    terms = {
        c: {(axis, end): 0.5 for axis in range(3) if d[axis] for end in ((0, 0, 0), tuple(d))}
        for c, d in enumerate(DIRECTIONS.tolist())
    }
    return Rows(TET_CLASSES, {(c, side): _terms(terms[c]) for c, side in _rows(TET_CLASSES)})


@cache
def prolongation() -> Rows:
    """Π: from the hexahedral space to the tetrahedral one; the same at every side."""
    return Rows(
        TET_CLASSES,
        {(c, side): _terms(interpolation_terms(c)) for c, side in _rows(TET_CLASSES)},
    )


@cache
def restriction() -> Rows:
    """Πᵀ, without the terms that would reach over the boundary."""
    rows = {}
    for axis, side in _rows(HEX_CLASSES):
        terms = {}
        for c, d in enumerate(DIRECTIONS):
            reached = _cubes(np.where(np.arange(3) == axis, 1, 1 - d), side)
            for (target, offset), weight in interpolation_terms(c).items():
                back = tuple(-o for o in offset)
                if target == axis and back in reached:
                    terms[c, back] = weight
        rows[axis, side] = _terms(terms)
    return Rows(HEX_CLASSES, rows)


def _terms(terms: dict[tuple[int, Side], float]) -> Terms:
    sources, offsets = zip(*terms, strict=True)
    return Terms(np.array(sources), np.array(offsets), np.array(list(terms.values())))


def _rows(classes: int) -> list[tuple[int, Side]]:
    """Classes and sides that occur: along its own direction an edge is always inside (1)."""
    return [
        (c, side)
        for c in range(classes)
        for side in product(range(3), repeat=3)
        if all(s == 1 for s, d in zip(side, DIRECTIONS[c], strict=True) if d)
    ]


def _cubes(d: Index, side: Side) -> list[Side]:
    """Offsets of the cubes around an edge of direction d at that side."""
    ranges = [(0,) if d[a] else {0: (0,), 1: (-1, 0), 2: (-1,)}[side[a]] for a in range(3)]
    return list(product(*ranges))


def _code(side: Side) -> int:
    return 9 * side[0] + 3 * side[1] + side[2]
