"""The unit cube in coordinates relative to one of its vertical edges.

Near an edge at x₁ = 1 the distance 1 − x₁ loses its digits; here it is a coordinate itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.domains import Edge
from bench.domains.cube import DOMAIN as CUBE
from bench.domains.parts.boxes import CENTRE, Boxes

if TYPE_CHECKING:
    from fem.certificates.geometry import Geometry


class EdgeCube(Boxes):
    """The unit cube, moved so that its edge {x₁ = a, x₂ = b} becomes {x₁ = x₂ = 0}."""

    def geometry(self, natural: Sequence[str] = ()) -> Geometry:
        """Return the constants of the cube, about its new centre."""
        from fem.certificates.rules import prism_rules

        square = (int(self.boxes[0, 0]), int(self.boxes[0, 1]))
        return replace(
            CUBE.geometry(natural),
            centre=(square[0] + 0.5, square[1] + 0.5, 0.5),
            rules=lambda level, edge: prism_rules((square,), level, edge),
            unit_cube=False,
        )

    def layered(
        self, layers: int, ratio: float, order: int, n: int = 1, edge: Edge | None = None
    ) -> Any:
        from fem.spaces.bricks.mesh import graded

        corner = (float(self.boxes[0, 0]), float(self.boxes[0, 1]))
        return graded(layers, ratio, order, CENTRE, n=n, corner=corner)


def edge_cube(edge: Edge) -> EdgeCube:
    """Return the unit cube as seen from its vertical edge {x₁ = a, x₂ = b}."""
    corner = np.array([[-int(edge[0]), -int(edge[1]), 0]])
    return EdgeCube.of("cube", f"the unit cube, as seen from x₁, x₂ = {edge}", corner)
