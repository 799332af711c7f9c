"""The faces of re-entrant edges in a union of boxes: which they are, and how far points are away.

On the prism these are x₁ = 0 and x₂ = 0, on the Fichera cube x₁, x₂, x₃ = 0: the faces through the
origin on which u × n is given. Each is a unit square in a coordinate plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from base.errors import UserError
from bench.domains.parts.boxes import Boxes
from bench.problems import Array, Problem


@dataclass(frozen=True, eq=False)
class EdgeFace:
    """The face {x_axis = 0}, where every other coordinate b has the sign of `sides[b]`; `graded`
    are those coordinates whose zero is a re-entrant edge."""

    index: int
    name: str
    axis: int
    sides: dict[int, float]
    graded: tuple[int, ...]
    normal: Array

    def distance(self, x: Array) -> Array:
        """d = √(x_axis² + Σ_b c_b²), c_b the part of x_b beyond the face, and its three
        derivatives: (4, N); once continuously differentiable off the face."""
        parts = np.zeros_like(x)
        parts[self.axis] = x[self.axis]
        for b, sign in self.sides.items():
            parts[b] = sign * np.minimum(sign * x[b], 0.0)
        d = np.sqrt((parts**2).sum(axis=0))
        return np.concatenate([d[None], parts / np.where(d == 0, 1.0, d)])


def boxes_of(problem: Problem) -> Boxes:
    """The domain of a problem that has re-entrant edges."""
    if not isinstance(problem.domain, Boxes):
        raise UserError(
            f"{problem.name} has no re-entrant edge; use reentrant, reentrant3d or fichera, or "
            "femnets train --track solve for other problems"
        )
    return problem.domain


@lru_cache(maxsize=8)
def edge_faces(problem: Problem) -> tuple[EdgeFace, ...]:
    """The faces that meet in re-entrant edges."""
    domain = boxes_of(problem)
    chosen = [
        (k, face)
        for k, face in enumerate(domain.faces)
        if face.offset == 0 and face.name not in problem.natural
    ]
    axes = [int(abs(face.normal).argmax()) for _, face in chosen]
    found = []
    for (k, face), axis in zip(chosen, axes, strict=True):
        others = [b for b in range(3) if b != axis]
        corner = domain.squares[k][0]
        sides = {b: 1.0 if corner[b] == 0 else -1.0 for b in others}
        graded = tuple(b for b in others if b in axes)
        found.append(EdgeFace(k, face.name, axis, sides, graded, face.normal))
    return tuple(found)
