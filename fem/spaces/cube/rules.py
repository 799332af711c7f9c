"""Load and error on one cube as small matrices acting on the field's values at its points.

Two kinds of rules. *Gauss*: points of their own in every piece, for coarse meshes and near singular
edges. *Lattice* of degree m: the field is evaluated on the grid of spacing h/m, which neighbouring
pieces share, (mn + 1)³ points in all; the load integrates the interpolant I_m u of degree m exactly
against the basis, the error is that of I_m u. At m = 1 that costs one evaluation per cube, where a
four-point rule on tetrahedra costs 24. u − I_m u is one order below u − u_h, and for m = 1 even
about the middle of a cube where u − u_h is odd, so that their product cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from fem.spaces import Array
from fem.spaces.cube.cells import DIRECTIONS, Cell, Index, Piece

AXES = np.arange(3)
SINGULAR_EXTRA = 4  # more Gauss points per direction on the cubes at a singular edge


class PieceRule(NamedTuple):
    """What the error on one piece needs: ∫ |g|² = Σ_q |Σ_w mix[q, w] g(nodes[q + w])|².

    Gauss rules have W = 1, roots of the weights; a lattice has the triangle of its mass matrix.
    """

    edges: Index
    nodes: Index  # (Q,)
    mix: Array  # (Q, W)
    basis: Array  # (3, Q, edges)
    curls: Array  # (3, Q, edges)


@dataclass(frozen=True)
class CubeRule:
    """Points of the unit cube and what is integrated with the field's values there.

    The load of the unit cube is load_u · u + load_curl · curl u; at mesh size h the two terms
    carry h² and h. `lattice` is m where the points are the lattice /m in C order, else 0.
    """

    points: Array  # (3, P)
    lattice: int
    load_u: Array  # (edges, 3, P)
    load_curl: Array  # (edges, 3, P)
    pieces: tuple[PieceRule, ...]


@cache
def gauss_rule(cell: Cell, points: int, singular: tuple[tuple[int, int], ...] = ()) -> CubeRule:
    """Gauss points in each piece; `singular`: the cube's edge {x_a = s}, as pairs (axis a, s)."""
    pieces, where, start = [], [], 0
    for piece in cell.pieces:
        x, weights = piece.gauss(
            points + SINGULAR_EXTRA * bool(singular), _touching(piece, singular)
        )
        nodes = np.arange(start, start + weights.size)
        pieces.append(PieceRule(piece.edges, nodes, np.sqrt(weights)[:, None], *piece.basis(x)))
        where.append(x)
        start += weights.size
    load_u, load_curl = np.zeros((2, len(cell.edges), 3, start))
    for rule in pieces:
        block = np.ix_(rule.edges, AXES, rule.nodes)
        load_u[block] += np.einsum("q,cqe->ecq", rule.mix[:, 0] ** 2, rule.basis)
        load_curl[block] += np.einsum("q,cqe->ecq", rule.mix[:, 0] ** 2, rule.curls)
    return CubeRule(np.concatenate(where, axis=1), 0, load_u, load_curl, tuple(pieces))


@cache
def lattice_rule(cell: Cell, degree: int) -> CubeRule:
    """The lattice /degree, with interpolation of that degree in each piece."""
    lattice = np.array(list(product(range(degree + 1), repeat=3))).T / degree
    pieces = []
    load_u, load_curl = np.zeros((2, len(cell.edges), 3, lattice.shape[1]))
    for piece in cell.pieces:
        x, weights = piece.gauss(degree + 2)
        nodes = np.flatnonzero(piece.contains(lattice))
        polynomials = _lagrange(piece.monomials(degree), lattice[:, nodes], x)
        values, curls = piece.basis(x)
        block = np.ix_(piece.edges, AXES, nodes)
        load_u[block] += np.einsum("q,cqe,pq->ecp", weights, values, polynomials)
        load_curl[block] += np.einsum("q,cqe,pq->ecp", weights, curls, polynomials)
        triangle = np.linalg.cholesky((polynomials * weights) @ polynomials.T).T
        mix = np.stack([np.roll(row, -q) for q, row in enumerate(triangle)])
        pieces.append(PieceRule(piece.edges, nodes, mix, *piece.basis(lattice[:, nodes])))
    return CubeRule(lattice, degree, load_u, load_curl, tuple(pieces))


def trapezoidal_interpolation(cell: Cell, degree: int) -> Array:
    """(edges, 3, P): edge integrals of the unit cube from the vertices of the lattice /degree."""
    lattice = list(product(range(degree + 1), repeat=3))
    result = np.zeros((len(cell.edges), 3, len(lattice)))
    for edge, (c, offset) in enumerate(cell.edges):
        for end in (np.array(offset), offset + DIRECTIONS[c]):
            result[edge, :, lattice.index(tuple((degree * end).tolist()))] = DIRECTIONS[c] / 2
    return result


def _touching(piece: Piece, singular: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    if not singular:
        return ()
    on_edge = np.all([piece.corners[:, axis] == side for axis, side in singular], axis=0)
    return tuple(np.flatnonzero(on_edge).tolist())


def _lagrange(exponents: list[tuple[int, ...]], nodes: Array, x: Array) -> Array:
    """(N, Q): the polynomials of the span that are 1 at one node and 0 at the others."""

    def monomials(at: Array) -> Array:
        return np.stack([np.prod([a**k for a, k in zip(at, e, strict=True)], 0) for e in exponents])

    return np.asarray(np.linalg.solve(monomials(nodes), monomials(x)), dtype=np.float64)
