"""The cubes of the uniform mesh as cells: numbering of edges, pieces and their basis functions.

Edges are numbered by *class* (direction) and base vertex. The seven classes are the 0/1 vectors d
below; edge (d, v) runs from vertex v to v + d, which is also from the lower to the higher vertex
number of `skfem.MeshTet.init_tensor`, so a dof is ∫ u·t with scikit-fem's sign. The coefficients
of class d form an array of shape n + 1 − d; a vector is these arrays one after another. The three
classes along the axes alone are the hexahedral space, whose vectors are prefixes of the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.rules.reference_hexes import hex_at_edge, tensor_hex
from fem.rules.reference_tets import collapsed_tet
from fem.spaces import Array

Index = NDArray[np.int64]
DIRECTIONS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
HEX_CLASSES, TET_CLASSES = 3, 7


def shapes(n: int | tuple[int, ...], classes: int) -> list[tuple[int, ...]]:
    """Shape of the array of coefficients of each class, on n³ cubes or on a block of cubes."""
    return [tuple((np.add(n, 1) - d).tolist()) for d in DIRECTIONS[:classes]]


def size(n: int, classes: int) -> int:
    """Number of dofs: 3n(n+1)² on hexahedra, 7n³ + 9n² + 3n on tetrahedra."""
    return sum(math.prod(shape) for shape in shapes(n, classes))


def split(x: NDArray[Any], n: int | tuple[int, ...], classes: int) -> list[NDArray[Any]]:
    """Views of a vector as the arrays of its classes."""
    parts, start = [], 0
    for shape in shapes(n, classes):
        parts.append(x[start : start + math.prod(shape)].reshape(shape))
        start += math.prod(shape)
    return parts


@cache
def cell_edges(classes: int) -> list[tuple[int, tuple[int, ...]]]:
    """The 12 or 19 edges of the cube."""
    return [
        (c, offset)
        for c in range(classes)
        for offset in product((0, 1), repeat=3)
        if (DIRECTIONS[c] + offset <= 1).all()
    ]


@dataclass(frozen=True)
class KuhnTet:
    """The tetrahedron {x_{p₁} ≥ x_{p₂} ≥ x_{p₃}} of a permutation p of the axes.

    Vertices 0, e_{p₁}, e_{p₁} + e_{p₂}, (1, 1, 1), barycentric coordinates
    λ = (1 − x_{p₁}, x_{p₁} − x_{p₂}, x_{p₂} − x_{p₃}, x_{p₃}); basis λ_a ∇λ_b − λ_b ∇λ_a, a < b.
    """

    order: tuple[int, ...]

    @cached_property
    def corners(self) -> Index:
        """Its vertices, (4, 3)."""
        steps = np.eye(3, dtype=int)[list(self.order)]
        return np.concatenate([np.zeros((1, 3), int), steps.cumsum(axis=0)])

    @cached_property
    def edges(self) -> Index:
        """Its dofs, as numbers of edges of the cube."""
        known = cell_edges(TET_CLASSES)
        classes = {tuple(d): c for c, d in enumerate(DIRECTIONS.tolist())}
        ends = [(self.corners[a], self.corners[b]) for a, b in combinations(range(4), 2)]
        return np.array([known.index((classes[tuple(b - a)], tuple(a.tolist()))) for a, b in ends])

    def barycentric(self, x: Array) -> Array:
        """λ, (4, Q)."""
        ordered = x[list(self.order)]
        return np.concatenate([1 - ordered[:1], ordered[:2] - ordered[1:], ordered[2:]])

    def basis(self, x: Array) -> tuple[Array, Array]:
        """Basis functions and their curls at x (3, Q): two arrays (3, Q, edges)."""
        lam = self.barycentric(x)
        axes = np.eye(3)[list(self.order)]
        grad = np.concatenate([-axes[:1], axes[:2] - axes[1:], axes[2:]])
        a, b = np.array(list(combinations(range(4), 2))).T
        values = lam[a][..., None] * grad[b][:, None] - lam[b][..., None] * grad[a][:, None]
        curls = np.broadcast_to(2 * np.cross(grad[a], grad[b])[:, None], values.shape)
        one_layout = np.ascontiguousarray  # so that kernels are compiled once for both
        return one_layout(values.transpose(2, 1, 0)), one_layout(curls.transpose(2, 1, 0))

    def gauss(self, points: int, touching: tuple[int, ...] = ()) -> tuple[Array, Array]:
        """A rule of degree 2·points − 1, or one collapsed onto the corners at a singular edge."""
        reference, weights = collapsed_tet(points, touching)
        return self.corners[1:].T @ reference, weights

    def contains(self, x: Array) -> NDArray[np.bool_]:
        """Which of the points (3, Q) of the cube lie in the closed piece, to rounding."""
        return np.asarray((self.barycentric(x) > -1e-9).all(axis=0))

    def monomials(self, degree: int) -> list[tuple[int, ...]]:
        """Exponents that span the polynomials determined by their values on the lattice /degree."""
        return [e for e in product(range(degree + 1), repeat=3) if sum(e) <= degree]


@dataclass(frozen=True)
class Hexahedron:
    """The cube itself: the basis of an edge along an axis is the product of the other two hats."""

    @cached_property
    def corners(self) -> Index:
        return np.array(list(product((0, 1), repeat=3)))

    @cached_property
    def edges(self) -> Index:
        return np.arange(12)

    def basis(self, x: Array) -> tuple[Array, Array]:
        """φ = ℓ_a ℓ_b e_c and curl φ = ∇(ℓ_a ℓ_b) × e_c, ℓ = x or 1 − x."""
        values, curls = np.zeros((2, 3, x.shape[1], 12))
        for edge, (c, offset) in enumerate(cell_edges(HEX_CLASSES)):
            hats = [x[a] if offset[a] else 1 - x[a] for a in range(3)]
            slopes = [2 * offset[a] - 1 for a in range(3)]
            a, b = (c + 1) % 3, (c + 2) % 3  # e_a × e_b = e_c
            values[c, :, edge] = hats[a] * hats[b]
            curls[a, :, edge] = hats[a] * slopes[b]
            curls[b, :, edge] = -slopes[a] * hats[b]
        return values, curls

    def gauss(self, points: int, touching: tuple[int, ...] = ()) -> tuple[Array, Array]:
        if not touching:
            return tensor_hex(points)
        from skfem.refdom import RefHex

        names = [tuple(corner) for corner in RefHex.p.T]
        return hex_at_edge(points, tuple(names.index(tuple(self.corners[v])) for v in touching))

    def contains(self, x: Array) -> NDArray[np.bool_]:
        return np.ones(x.shape[1], dtype=bool)

    def monomials(self, degree: int) -> list[tuple[int, ...]]:
        return list(product(range(degree + 1), repeat=3))


Piece = KuhnTet | Hexahedron


@dataclass(frozen=True)
class Cell:
    """A cube, cut in pieces: its edges as (class, offset of the base vertex)."""

    classes: int
    pieces: tuple[Piece, ...]

    @property
    def edges(self) -> list[tuple[int, tuple[int, ...]]]:
        return cell_edges(self.classes)


KUHN = Cell(TET_CLASSES, tuple(KuhnTet(order) for order in permutations(range(3))))
HEX = Cell(HEX_CLASSES, (Hexahedron(),))


@cache
def local_matrices(cell: Cell) -> tuple[Array, Array]:
    """Mass and curl-curl matrices of the unit cube; at mesh size h they are h·mass and curl/h."""
    mass, stiffness = np.zeros((2, len(cell.edges), len(cell.edges)))
    for piece in cell.pieces:
        points, weights = piece.gauss(3)
        block = np.ix_(piece.edges, piece.edges)
        values, curls = piece.basis(points)
        mass[block] += np.einsum("q,cqi,cqj->ij", weights, values, values)
        stiffness[block] += np.einsum("q,cqi,cqj->ij", weights, curls, curls)
    return mass, stiffness


def mesh_dofs(mesh: Any, n: int, classes: int) -> tuple[Index, Index]:
    """Where a scikit-fem mesh of the same cube keeps our dofs, and with which signs (±1).

    x_mesh[numbers] * signs is the vector in the numbering of this module; scikit-fem orients an
    edge from its lower to its higher vertex number.
    """
    number = np.empty((n + 1,) * 3, np.int64)
    number[tuple(np.rint(mesh.p * n).astype(int))] = np.arange(mesh.p.shape[1])
    ends = []
    for d, shape in zip(DIRECTIONS, shapes(n, classes), strict=False):
        base = np.indices(shape).reshape(3, -1)
        ends.append(np.stack([number[tuple(base)], number[tuple(base + d[:, None])]]))
    start, end = np.concatenate(ends, axis=1)
    edges = np.sort(mesh.edges, axis=0).astype(np.int64)  # codes beyond 2³¹ from n = 36 on
    codes = edges[0] * mesh.p.shape[1] + edges[1]
    wanted = np.minimum(start, end) * mesh.p.shape[1] + np.maximum(start, end)
    order = np.argsort(codes)
    return order[np.searchsorted(codes, wanted, sorter=order)], np.where(start < end, 1, -1)
