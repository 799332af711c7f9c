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
from numba import njit
from numpy.typing import NDArray

from base.errors import UserError
from fem.rules.cell_rules import gauss
from fem.spaces import Array, Field, How, Line
from fem.spaces.cube.cells import DIRECTIONS, Cell, size, split
from fem.spaces.cube.lattice_kernels import Lattice, add_load, arrange, load_terms
from fem.spaces.cube.lattice_kernels import squared_distance as lattice_distance
from fem.spaces.cube.rules import CubeRule, gauss_rule
from fem.threads import each, ranges

BLOCK_VALUES = 1 << 21  # values of u and curl u held by one block: 16 MB
NEAR_CELLS, NEAR_POINTS = 2, 6  # Gauss points on the cubes around the one at a singular edge
EDGE_POINTS = 4  # Gauss points on an edge
LINE = 128  # cubes a block is long in k
TILE = 512  # cubes at a time in the error's inner loops: 4 kB a row


@dataclass(frozen=True)
class Box:
    """The cubes lo ≤ (i, j, k) < hi and the rule for them."""

    lo: tuple[int, ...]
    hi: tuple[int, ...]
    rule: CubeRule

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(b - a for a, b in zip(self.lo, self.hi, strict=True))

    def window(self, offset: tuple[int, ...], grow: int = 0) -> tuple[slice, ...]:
        """Where an array over vertices holds the box, shifted by the offset."""
        return tuple(
            slice(a + o, b + o + grow) for a, b, o in zip(self.lo, self.hi, offset, strict=True)
        )


def regions(cell: Cell, n: int, rule: CubeRule, singular_edge: Line | None) -> list[Box]:
    """The whole cube with one rule, or parts with better rules towards a singular edge."""
    if singular_edge is None:
        return [Box((0, 0, 0), (n, n, n), rule)]
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
    m = block.rule.lattice
    spans = zip(block.lo, block.hi, strict=True)
    axes = [np.arange(m * a, m * b + 1) / (m * n) for a, b in spans]
    points = np.stack(np.meshgrid(*axes, indexing="ij"))
    return arrange(np.concatenate([field(points) for field in fields]), m, block.shape)


def at_points(fields: tuple[Field, ...], block: Box, n: int) -> Array:
    """The fields' components at the points of the rule in every cube: (components, P, cubes)."""
    corners = np.stack(np.meshgrid(*map(np.arange, block.lo, block.hi), indexing="ij"))
    points = (block.rule.points[:, :, None] + corners.reshape(3, 1, -1)) / n
    return np.concatenate([field(points) for field in fields])


def load(
    cell: Cell,
    n: int,
    boxes: list[Box],
    matrix: Callable[[CubeRule], Array],
    fields: tuple[Field, ...],
    out: list[NDArray[Any]],
    how: How,
) -> None:
    """Adds matrix(rule), (edges, components, P), times the fields' values, cube by cube."""
    matrices = {id(box.rule): matrix(box.rule) for box in boxes}
    terms = {id(box.rule): load_terms(matrices[id(box.rule)]) for box in boxes if box.rule.lattice}

    def local_load(block: Box) -> Array:
        key, local = id(block.rule), np.zeros((len(cell.edges), *block.shape))
        if block.rule.lattice:
            add_load(local, on_lattice(fields, block, n), terms[key])
        else:
            values = at_points(fields, block, n)
            flat = matrices[key].reshape(len(local), -1)
            local += (flat @ values.reshape(flat.shape[1], -1)).reshape(local.shape)
        return local

    def contribution(block: Box) -> tuple[Box, list[Array]]:
        sums = [np.zeros([s + 1 for s in block.shape]) for _ in out]
        for row, (c, offset) in zip(local_load(block), cell.edges, strict=True):
            window = tuple(slice(o, o + s) for o, s in zip(offset, block.shape, strict=True))
            sums[c][window] += row
        return block, sums

    todo = [block for box in boxes for block in blocks(box)]
    for done, (block, sums) in enumerate(each(contribution, todo, how.threads), 1):
        for total, part in zip(out, sums, strict=True):
            target = total[block.window((0, 0, 0), grow=1)]
            target += part[tuple(map(slice, target.shape))]
        how.report("load", done, len(todo))


def load_matrix(rule: CubeRule, h: float) -> Array:
    """(edges, 6, P): h² load_u and h load_curl together, for the values of u and curl u."""
    return np.concatenate([h**2 * rule.load_u, h * rule.load_curl], axis=1)


def squared_errors(
    cell: Cell,
    n: int,
    boxes: list[Box],
    x: list[NDArray[Any]],
    fields: tuple[Field, Field],
    how: How,
) -> tuple[float, float]:
    """‖u − u_h‖² and ‖curl u − curl u_h‖² for the coefficients x, by class."""
    h = 1 / n

    def squares(block: Box) -> Array:
        local = np.stack([x[c][block.window(o)] for c, o in cell.edges], dtype=np.float64)
        measure = _by_lattice if block.rule.lattice else _by_points
        return h**3 * np.array(measure(fields, block, n, local))

    todo = [block for box in boxes for block in blocks(box)]
    total = np.zeros(2)
    for done, part in enumerate(each(squares, todo, how.threads), 1):
        total += part
        how.report("error", done, len(todo))
    return float(total[0]), float(total[1])


def _by_lattice(fields: tuple[Field, ...], block: Box, n: int, x: Array) -> tuple[float, float]:
    """‖u − u_h‖² and ‖curl u − curl u_h‖² over a block, but for h³."""
    lattice = on_lattice(fields, block, n)
    l2 = curl = 0.0
    for edges, nodes, mix, basis, curls in block.rule.pieces:
        l2 += lattice_distance(lattice, 0, x, edges, nodes, basis * n, mix)
        curl += lattice_distance(lattice, 3, x, edges, nodes, curls * n**2, mix)
    return l2, curl


def _by_points(fields: tuple[Field, ...], block: Box, n: int, x: Array) -> tuple[float, float]:
    """The edge integrals by Gauss."""
    values, flat = at_points(fields, block, n), x.reshape(len(x), -1)
    l2 = curl = 0.0
    for edges, nodes, roots, basis, curls in block.rule.pieces:
        l2 += _squared_distance(values[:3], nodes, basis * n, flat, edges, roots**2)
        curl += _squared_distance(values[3:], nodes, curls * n**2, flat, edges, roots**2)
    return l2, curl


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


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _squared_distance(
    values: Array, nodes: Any, basis: Array, x: Array, edges: Any, weights: Array
) -> float:
    """Σ_cubes Σ_q w_q |values[:, nodes[q]] − Σ_e basis[:, q, e] x[edges[e]]|²."""
    total = 0.0
    difference = np.empty(TILE)
    for start in range(0, x.shape[1], TILE):
        count = min(TILE, x.shape[1] - start)
        for q in range(nodes.size):
            for c in range(3):
                row = values[c, nodes[q], start : start + count]
                for k in range(count):
                    difference[k] = row[k]
                for e in range(edges.size):
                    if basis[c, q, e] != 0:
                        coefficient, line = basis[c, q, e], x[edges[e], start : start + count]
                        for k in range(count):
                            difference[k] -= coefficient * line[k]
                square = 0.0
                for k in range(count):
                    square += difference[k] * difference[k]
                total += weights[q] * square
    return total
