"""Domains made of unit boxes with integer corners: points, faces and distances of any of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.domains import Array, Domain, Edge, Face, components
from bench.domains._points import Mask
from bench.errors import UserError

Corners = NDArray[np.int64]  # (K, 3): of a box its lowest corner, of a square too
CENTRE = (0.0, 0.0)  # {x₁ = x₂ = 0}, the edge that is re-entrant in every one of them


@dataclass(frozen=True, eq=False, kw_only=True)
class Boxes(Domain):
    """A union of unit boxes whose re-entrant edges meet the origin."""

    boxes: Corners = field(repr=False)
    squares: tuple[Corners, ...] = field(repr=False)  # of each face

    def contains(self, x: ArrayLike) -> Mask:
        x = components(x)
        found = np.zeros(x.shape[1:], dtype=bool)
        for corner in self.boxes:
            low = corner.reshape(3, *([1] * (x.ndim - 1)))
            found |= ((x >= low) & (x <= low + 1)).all(axis=0)
        return found

    def place(self, uniform: Array) -> Array:
        which, first = _divided(uniform[0], len(self.boxes))
        return self.boxes[which].T + np.stack([first, *uniform[1:]])

    def place_on_face(self, face: int, uniform: Array) -> Array:
        squares = self.squares[face]
        which, first = _divided(uniform[0], len(squares))
        axis = int(abs(self.faces[face].normal).argmax())
        return squares[which].T + np.insert(np.stack([first, uniform[1]]), axis, 0.0, axis=0)

    def distances(self, x: ArrayLike) -> Array:
        """Euclidean distances from the faces themselves, not from their planes."""
        x = components(x)
        shape = (3, *([1] * (x.ndim - 1)))
        found = []
        for face, squares in zip(self.faces, self.squares, strict=True):
            extent = (1.0 - abs(face.normal)).reshape(shape)
            to_each = [_outside(x, corner.reshape(shape), extent) for corner in squares]
            found.append(np.min(to_each, axis=0))
        return np.stack(found)

    def only_edge(self, edges: Any) -> Edge | None:
        edge = super().only_edge(edges)
        if edge not in (None, CENTRE):
            raise UserError(
                f"no rule on {self.name} is graded towards x₁, x₂ = {edge[0]:g}, {edge[1]:g}, only "
                "towards its re-entrant edge x₁ = x₂ = 0"
            )
        return edge


def faces_of(boxes: Corners) -> tuple[tuple[Face, ...], tuple[Corners, ...]]:
    """The planar faces of the union, and the unit squares of each."""
    present = {tuple(corner) for corner in boxes.tolist()}
    squares: dict[tuple[int, int, int], list[list[int]]] = {}
    for corner, axis, side in product(sorted(present), range(3), (0, 1)):
        neighbour = list(corner)
        neighbour[axis] += 2 * side - 1
        if tuple(neighbour) in present:
            continue
        square = list(corner)
        square[axis] += side
        squares.setdefault((axis, square[axis], side), []).append(square)
    faces, corners = [], []
    for (axis, level, side), found in sorted(squares.items()):
        normal = np.zeros(3)
        normal[axis] = 2.0 * side - 1
        normal.flags.writeable = False
        faces.append(Face(f"x{axis + 1}={level}", normal, normal[axis] * level, float(len(found))))
        corners.append(np.array(found))
    return tuple(faces), tuple(corners)


def _divided(uniform: Array, parts: int) -> tuple[NDArray[np.int64], Array]:
    """Uniform numbers as a part and a uniform number within it."""
    which = np.minimum((uniform * parts).astype(np.int64), parts - 1)
    return which, uniform * parts - which


def _outside(x: Array, corner: Array, extent: Array) -> Array:
    """The distance of points from an axis-aligned square."""
    beyond = np.maximum(corner - x, 0.0) + np.maximum(x - corner - extent, 0.0)
    return np.asarray(np.sqrt((beyond**2).sum(axis=0)))
