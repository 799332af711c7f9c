"""Domains made of unit boxes with integer corners: their points, faces and meshes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError
from bench.domains import Array, Domain, Edge, components
from bench.domains.parts.box_faces import Corners, faces_of
from bench.domains.parts.points import Mask

CENTRE = (0.0, 0.0)  # {x₁ = x₂ = 0}, a re-entrant edge of every such domain


@dataclass(frozen=True, eq=False, kw_only=True)
class Boxes(Domain):
    """A union of unit boxes whose re-entrant edges contain the origin."""

    boxes: Corners = field(repr=False)
    squares: tuple[Corners, ...] = field(repr=False)  # of each face

    @classmethod
    def of(cls, name: str, title: str, boxes: Corners) -> Self:
        """Make the union of boxes with its faces; its volume is the number of boxes."""
        faces, squares = faces_of(boxes)
        volume = float(len(boxes))
        return cls(name=name, title=title, volume=volume, faces=faces, boxes=boxes, squares=squares)

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

    def mesh(
        self, n: int, cell: str = "tet", grading: float | None = None, edge: Edge | None = None
    ) -> Any:
        """Return the mesh that `fem` makes for the domain of this name."""
        from fem.meshes import unions

        return getattr(unions, self.name)(n, cell, grading)

    def bricks(self, n: int, order: int, grading: float | None = None) -> Any:
        from fem.spaces.bricks import unions

        return getattr(unions, self.name)(n, order, grading)

    def only_edge(self, edges: Any) -> Edge | None:
        edge = super().only_edge(edges)
        if edge not in (None, CENTRE):
            raise UserError(
                f"{self.name} has no quadrature graded towards x₁, x₂ = {edge[0]:g}, {edge[1]:g}, "
                "only towards its re-entrant edge x₁ = x₂ = 0"
            )
        return edge


def _divided(uniform: Array, parts: int) -> tuple[NDArray[np.int64], Array]:
    """Split uniform numbers into the index of a part and a uniform number within it."""
    which = np.minimum((uniform * parts).astype(np.int64), parts - 1)
    return which, uniform * parts - which
