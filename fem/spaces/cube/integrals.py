"""Load vectors and errors over the cubes of the uniform mesh, block by block.

The field is a Python callable on arrays of points, so a block is as large as the cache allows: its
values are one array, the load a product with it, the error a compiled pass over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem import memory
from fem.rules.cell_rules import gauss
from fem.solvers.stencil import Layout, Rows, Stencil, applied, arrays, assembled, layout
from fem.spaces import Array, Field, How, Line
from fem.spaces.cube.cells import DIRECTIONS, Cell, shapes, size, split
from fem.spaces.cube.lattice_kernels import Lattice, arranged, lattice_points, squared_distance
from fem.spaces.cube.rules import CubeRule, gauss_rule
from fem.threads import each, ranges

BLOCK_VALUES = 1 << 20  # values of u and curl u held by one block: 8 MB
NEAR_CELLS, NEAR_POINTS = 2, 6  # Gauss points on the cubes around the one at a singular edge
EDGE_POINTS = 4  # Gauss points on an edge
LINE = 128  # cubes a block is long in k


@dataclass(frozen=True)
class Box:
    """The cubes lo ≤ (i, j, k) < hi and the rule for them."""

    lo: tuple[int, ...]
    hi: tuple[int, ...]
    rule: CubeRule

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(b - a for a, b in zip(self.lo, self.hi, strict=True))

    def window(self, offset: tuple[int, ...]) -> tuple[slice, ...]:
        """Where an array over vertices holds the cubes of the box, shifted by the offset."""
        return tuple(slice(a + o, b + o) for a, b, o in zip(self.lo, self.hi, offset, strict=True))

    def owned(self, n: int) -> tuple[slice, ...]:
        """Its vertices in such an array, without those that it shares with the next boxes."""
        return tuple(slice(a, b if b < n else n + 1) for a, b in zip(self.lo, self.hi, strict=True))

    def at(self, part: Array) -> tuple[slice, ...]:
        """Where an array over all vertices holds an array over those of the box."""
        return tuple(slice(a, a + s) for a, s in zip(self.lo, part.shape, strict=True))


def whole(n: int, rule: CubeRule) -> Box:
    """All cubes, with one rule."""
    return Box((0, 0, 0), (n, n, n), rule)


def regions(cell: Cell, n: int, rule: CubeRule, singular_edge: Line | None) -> list[Box]:
    """The whole cube with one rule, or parts with better rules towards a singular edge."""
    if singular_edge is None:
        return [whole(n, rule)]
    sides = cube_edge(singular_edge)
    rings = [rule, gauss_rule(cell, NEAR_POINTS), gauss_rule(cell, NEAR_POINTS, sides)]
    cuts = [[(0, n, 2)]] * 3
    for axis, side in sides:
        near = max(n - 1 - NEAR_CELLS, 0)
        ranges = [(0, near, 0), (near, n - 1, 1), (n - 1, n, 2)]
        cuts[axis] = ranges if side else [(n - b, n - a, ring) for a, b, ring in ranges]
    return [
        Box(lo, hi, rings[min(ring)])
        for lo, hi, ring in (zip(*parts, strict=True) for parts in product(*cuts))
        if all(a < b for a, b in zip(lo, hi, strict=True))
    ]


def cube_edge(line: Line) -> tuple[tuple[int, int], ...]:
    """The edge {x₁ = a, x₂ = b} of the unit cube as pairs (axis, 0 or 1)."""
    if any(side not in (0, 1) for side in line):
        raise UserError(
            "on the uniform cube the line of singularities must be an edge, {x₁ = 0 or 1, "
            f"x₂ = 0 or 1}}; got {line}; use a mesh and the general solver for other lines"
        )
    return tuple((axis, int(side)) for axis, side in enumerate(line))


def blocks(box: Box) -> Iterator[Box]:
    """The box cut into blocks of about BLOCK_VALUES values, long in k for the compiled loops."""
    values = 6 * (box.rule.lattice**3 or box.rule.points.shape[1]) + 2 * len(box.rule.load_u)
    long = min(box.shape[2], LINE)
    side = max(1, isqrt(BLOCK_VALUES // (values * long)))
    cuts = [
        [(lo + a, lo + b) for a, b in ranges(hi - lo, -(-(hi - lo) // step))]
        for lo, hi, step in zip(box.lo, box.hi, (side, side, long), strict=True)
    ]
    for intervals in product(*cuts):
        lo, hi = zip(*intervals, strict=True)
        yield Box(lo, hi, box.rule)


def on_lattice(fields: tuple[Field, ...], block: Box, n: int) -> Lattice:
    """The fields' components on the lattice of the block."""
    points = lattice_points(block.rule.lattice, block.lo, block.hi) / n
    return arranged(np.concatenate([field(points) for field in fields]))


class LatticeMap:
    """A map from values on the lattice of a block to its edges, by class."""

    def __init__(self, rows: Rows, classes: int) -> None:
        self._rows, self._classes = rows, classes
        self._prepared: dict[tuple[int, ...], tuple[Stencil, Layout]] = {}

    def __call__(self, lattice: Lattice, shape: tuple[int, ...]) -> list[Array]:
        vertices = np.array(shape) + 1
        if shape not in self._prepared:
            count = lattice.values.size // vertices.prod()
            source = arrays(shape, np.tile(vertices, (count, 1)))
            self._prepared[shape] = self._rows.stencil(source), layout(shape, self._classes)
        stencil, to = self._prepared[shape]
        return split(applied(stencil, lattice.values.ravel(), to), shape, self._classes)


def at_points(fields: tuple[Field, ...], block: Box, n: int) -> Array:
    """The fields' components at the points of the rule in every cube: (components, P, cubes)."""
    corners = np.stack(np.meshgrid(*map(np.arange, block.lo, block.hi), indexing="ij"))
    points = (block.rule.points[:, :, None] + corners.reshape(3, 1, -1)) / n
    return np.concatenate([field(points) for field in fields])


def add_load(
    out: NDArray[Any], cell: Cell, n: int, rule: CubeRule,
    matrix: Callable[[CubeRule], Array], fields: tuple[Field, ...], how: How,
) -> None:  # fmt: skip
    """Adds matrix(rule), (edges, components, P), times the fields' values, cube by cube."""
    memory.keep_freed()
    boxes, totals = regions(cell, n, rule, how.singular_edge), split(out, n, cell.classes)
    matrices = {id(box.rule): matrix(box.rule) for box in boxes}
    maps = {
        id(box.rule): LatticeMap(by_lattice(cell, matrices[id(box.rule)]), cell.classes)
        for box in boxes
        if box.rule.lattice
    }

    def contribution(block: Box) -> tuple[Box, list[Array]]:
        key = id(block.rule)
        if block.rule.lattice:
            return block, maps[key](on_lattice(fields, block, n), block.shape)
        flat = matrices[key].reshape(len(cell.edges), -1)
        values = flat @ at_points(fields, block, n).reshape(flat.shape[1], -1)
        sums = [np.zeros(shape) for shape in shapes(block.shape, cell.classes)]
        for row, (c, offset) in zip(values, cell.edges, strict=True):
            window = tuple(slice(o, o + s) for o, s in zip(offset, block.shape, strict=True))
            sums[c][window] += row.reshape(block.shape)
        return block, sums

    todo = [block for box in boxes for block in blocks(box)]
    for done, (block, sums) in enumerate(each(contribution, todo, how.threads), 1):
        for total, part in zip(totals, sums, strict=True):
            total[block.at(part)] += part
        how.report("load", done, len(todo))


def by_lattice(cell: Cell, matrix: Array) -> Rows:
    """The load of all cubes from that of one, (edges, components, P)."""
    m = round(matrix.shape[2] ** (1 / 3)) - 1
    return assembled(cell, matrix.reshape(*matrix.shape[:2], *[m + 1] * 3))


def load_matrix(rule: CubeRule, h: float) -> Array:
    """(edges, 6, P): h² load_u and h load_curl together, for the values of u and curl u."""
    return np.concatenate([h**2 * rule.load_u, h * rule.load_curl], axis=1)


def squared_errors(
    x: NDArray[Any], cell: Cell, n: int, rule: CubeRule, fields: tuple[Field, Field], how: How
) -> tuple[float, float]:
    """‖u − u_h‖² and ‖curl u − curl u_h‖² for the coefficients x."""
    memory.keep_freed()
    parts = split(x, n, cell.classes)

    def squares(block: Box) -> Array:
        local = np.stack([parts[c][block.window(o)] for c, o in cell.edges], dtype=np.float64)
        if block.rule.lattice:
            values = on_lattice(fields, block, n)
        else:  # a single line of cubes
            flat, local = at_points(fields, block, n), local.reshape(len(local), 1, 1, -1)
            starts = np.arange(flat.shape[1]) * flat.shape[2]
            values = Lattice(flat.reshape(len(flat), -1), starts, (0, 0))
        total = np.zeros(2)
        for edges, nodes, mix, basis, curls in block.rule.pieces:
            total[0] += squared_distance(values, 0, local, edges, nodes, basis * n, mix)
            total[1] += squared_distance(values, 3, local, edges, nodes, curls * n**2, mix)
        return total / n**3

    boxes = regions(cell, n, rule, how.singular_edge)
    todo = [block for box in boxes for block in blocks(box)]
    total = np.zeros(2)
    for done, part in enumerate(each(squares, todo, how.threads), 1):
        total += part
        how.report("error", done, len(todo))
    return float(total[0]), float(total[1])


def edge_integrals(u: Field, n: int, classes: int) -> Array:
    """∫ u·t over every edge: the canonical interpolant."""
    result = np.zeros(size(n, classes))
    positions, weights = gauss(EDGE_POINTS)
    for d, part in zip(DIRECTIONS, split(result, n, classes), strict=False):
        for i in range(part.shape[0]):
            base = np.stack(np.meshgrid([i], *map(np.arange, part.shape[1:]), indexing="ij"))
            for t, w in zip(positions, weights, strict=True):
                values = u((base + t * d[:, None, None, None]) / n)
                part[i] += w / n * (d @ values.reshape(3, -1)).reshape(part.shape[1:])
    return result
