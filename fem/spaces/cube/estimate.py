"""The residual estimator of `fem.estimator` on Kuhn cubes, which all have the same tables.

No mesh is made: u_h and p_h come as windows of their arrays, twelve faces belong to a cube (six
inside, two on each upper side), and a slab of cubes is done at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from base.errors import UserError
from fem.boundary_value import BoundaryValueProblem
from fem.estimator import NEEDS_GRADIENT
from fem.rules.reference_tets import collapsed_tet, four_points
from fem.spaces import Array
from fem.spaces.cube.cells import KUHN, TET_CLASSES, Index, KuhnTet, cell_edges, split

Place = tuple[slice, slice, slice]
CUBES_AT_ONCE = 1 << 14
FINE = 8  # cells per side; above, four points a cell are enough for four digits of η
INWARDS = 1e-7  # of the way from a face to the middle of its cell: φ may jump there
SAME = 1e-5  # φ of the two sides agrees up to this relative difference
VERTICES = np.indices((2, 2, 2)).reshape(3, -1).T


class Face(NamedTuple):
    """A face of two tetrahedra: the second may be in the next cube along an axis."""

    corners: Index  # (3, 3), a corner a row, in the cube of the first
    tets: tuple[int, int]
    axis: int | None


class Slab(NamedTuple):
    """Cubes first ≤ i < last, and those of one more plane: what u_h and p_h are there."""

    n: int
    corners: Array  # (3, planes, n, n) lower corners of the cubes, in cells
    edges: Array  # (19, planes, n, n)
    vertices: Array  # (8, planes, n, n)
    curls: Array  # (6, 3, planes, n, n): constant on a tetrahedron
    own: int  # planes without the additional one

    def sides(self, axis: int | None) -> tuple[Place, Place]:
        """The cubes of the slab, and the next ones along the axis, where there are any."""
        first, second = ([slice(0, self.own), slice(None), slice(None)] for _ in range(2))
        if axis is not None:
            first[axis], second[axis] = slice(0, self.edges.shape[1 + axis] - 1), slice(1, None)
        return (first[0], first[1], first[2]), (second[0], second[1], second[2])

    def points(self, at: Place, local: Array) -> Array:
        """(3, cubes, points) for points (3, Q) of the unit cube."""
        corners = self.corners[:, *at].reshape(3, -1, 1)
        return (corners + local[:, None]) / self.n


def estimate(problem: BoundaryValueProblem, n: int, x: Array, multiplier: Array) -> float:
    """η for u_h, coefficients x, and p_h, values at the vertices."""
    if problem.grad_phi is None:
        raise UserError(NEEDS_GRADIENT)
    total = 0.0
    for slab in _slabs(n, x, multiplier):
        total += sum(_cells(problem, slab, tet) for tet in range(len(KUHN.pieces)))
        total += sum(_jumps(problem, slab, face) for face in _faces())
    return total**0.5


def _slabs(n: int, x: Array, multiplier: Array) -> Iterator[Slab]:
    parts, p = split(x, n, TET_CLASSES), multiplier.reshape((n + 1,) * 3)
    planes = max(1, CUBES_AT_ONCE // n**2)
    for first in range(0, n, planes):
        last = min(first + planes, n)
        end = min(last + 1, n)

        def window(values: Array, at: tuple[int, ...], lo: int = first, hi: int = end) -> Array:
            return values[lo + at[0] : hi + at[0], at[1] : n + at[1], at[2] : n + at[2]]

        corners = np.indices((end - first, n, n)) + np.array([first, 0, 0]).reshape(3, 1, 1, 1)
        edges = np.stack([window(parts[c], offset) for c, offset in cell_edges(TET_CLASSES)])
        vertices = np.stack([window(p, tuple(v)) for v in VERTICES.tolist()])
        curls = n**2 * np.tensordot(_curl_tables(), edges, axes=1)
        yield Slab(n, corners.astype(float), edges, vertices, curls, last - first)


def _cells(problem: BoundaryValueProblem, slab: Slab, tet: int) -> float:
    """Σ h_T² (‖f − ∇p_h − ∇φ × curl u_h‖² + ‖ρ‖²) over the tetrahedra of one kind."""
    assert problem.grad_phi is not None
    piece, n, (own, _) = _tet(tet), slab.n, slab.sides(None)
    reference, weights = four_points() if n > FINE else collapsed_tet(3, ())
    local = piece.corners[1:].T @ reference
    where = slab.points(own, local)
    number = [int(np.flatnonzero((c == VERTICES).all(axis=1))[0]) for c in piece.corners]
    slopes = np.diff(slab.vertices[number][:, *own], axis=0).reshape(3, -1) * n
    rest = problem.f(where)
    rest[list(piece.order)] -= slopes[:, :, None]
    curl = slab.curls[tet][:, *own].reshape(3, -1)
    rest -= np.cross(problem.grad_phi(where), curl[:, :, None], axis=0)
    squares = (rest**2).sum(axis=0)
    if problem.rho is not None:
        squares += problem.rho(where) ** 2
    return float((squares @ weights).sum()) / n**3 / (6 * n**3) ** (2 / 3)


def _jumps(problem: BoundaryValueProblem, slab: Slab, face: Face) -> float:
    """Σ h_F (‖[n × φ curl u_h]‖² + ‖[n·u_h]‖²) over the faces of one kind."""
    from fem.spaces.tets.faces import triangle_rule

    lam, weights = triangle_rule(2)
    n, points = slab.n, face.corners.T @ lam
    normal = np.cross(face.corners[1] - face.corners[0], face.corners[2] - face.corners[0])
    area = float(np.linalg.norm(normal)) / 2 / n**2
    normal = normal / np.linalg.norm(normal)
    phi, across, along = [], [], []
    shift = np.zeros((3, 1)) if face.axis is None else np.eye(3)[:, [face.axis]]
    for tet, at, move in zip(face.tets, slab.sides(face.axis), (0 * shift, shift), strict=True):
        piece, local = _tet(tet), points - move
        middle = piece.corners.mean(axis=0)[:, None]
        phi.append(problem.phi(slab.points(at, local + INWARDS * (middle - local))))
        curl = slab.curls[tet][:, *at].reshape(3, -1)
        across.append(curl - np.outer(normal, normal @ curl))  # n × curl, turned
        table = n * np.einsum("dqe,d->qe", piece.basis(local)[0], normal)
        values = np.tensordot(table, slab.edges[piece.edges], axes=1)
        along.append(values[:, *at].reshape(len(weights), -1))
    mean = (phi[0] + phi[1]) / 2
    phi = [np.where(abs(p - mean) < SAME * mean, mean, p) for p in phi]
    squares = weights @ (along[0] - along[1]) ** 2
    for i, j, sign in ((0, 0, 1), (0, 1, -2), (1, 1, 1)):  # |φ₀ c₀ − φ₁ c₁|²
        squares += sign * ((phi[i] * phi[j]) @ weights) * (across[i] * across[j]).sum(axis=0)
    return area**1.5 * float(squares.sum())


def _tet(number: int) -> KuhnTet:
    piece = KUHN.pieces[number]
    assert isinstance(piece, KuhnTet)
    return piece


@cache
def _curl_tables() -> Array:
    """curl of the basis of the unit cube, (6, 3, 19)."""
    tables = np.zeros((len(KUHN.pieces), 3, len(cell_edges(TET_CLASSES))))
    for table, piece in zip(tables, KUHN.pieces, strict=True):
        table[:, piece.edges] = piece.basis(np.zeros((3, 1)))[1][:, 0]
    return tables


@cache
def _faces() -> list[Face]:
    """Six faces between tetrahedra of a cube, and two on each upper side of it."""
    known: dict[bytes, int] = {}
    found = []
    sides = [
        (tet, np.delete(_tet(tet).corners, vertex, axis=0))
        for tet in range(len(KUHN.pieces))
        for vertex in range(4)
    ]
    lower = {corners.tobytes(): tet for tet, corners in sides if (corners == 0).all(axis=0).any()}
    for tet, corners in sides:
        upper = np.flatnonzero((corners == 1).all(axis=0))
        if len(upper):
            beyond = corners - np.eye(3, dtype=int)[upper[0]]
            found.append(Face(corners, (tet, lower[beyond.tobytes()]), int(upper[0])))
        elif corners.tobytes() in known:
            found.append(Face(corners, (known[corners.tobytes()], tet), None))
        known[corners.tobytes()] = tet
    return found
