"""`fichera`: the Fichera cube (−1,1)³ ∖ [0,1)³: three re-entrant edges that meet in a corner."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bench.domains import Array, Edge, components
from bench.domains.parts.boxes import Boxes

if TYPE_CHECKING:
    from fem.certificates.geometry import Geometry
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

BOXES = np.array([corner for corner in product((-1, 0), repeat=3) if corner != (0, 0, 0)])
# 56 000 points in panels that shrink towards the three planes of the corner
ORDER, PANELS, SHRINK = 5, 4, 0.25
EIGENVALUE = 3.2  # the smallest of curl curl, by elements, which give no bound of it


class Fichera(Boxes):
    """The Fichera cube."""

    def rules(
        self, edges: Sequence[Edge] = (), resolution: Resolution | None = None
    ) -> dict[str, Quadrature]:
        from fem.rules.reentrant import boxes_to_origin

        self.only_edge(edges)
        order = ORDER if resolution is None else resolution.order
        panels = PANELS if resolution is None else resolution.radius
        return {"whole": boxes_to_origin(tuple(map(tuple, BOXES.tolist())), order, panels, SHRINK)}

    def edge_distance(self, x: ArrayLike) -> Array:
        """Return the distance from the nearest of the half-lines {x_i = x_j = 0, x_k ≥ 0}."""
        x = components(x)
        below = np.minimum(x, 0.0)
        squares = [(x**2).sum(axis=0) - x[k] ** 2 + below[k] ** 2 for k in range(3)]
        return np.asarray(np.sqrt(np.min(squares, axis=0)))

    def geometry(self, natural: Sequence[str] = ()) -> Geometry:
        """Return constants of which C_M is computed only: bounds with it are estimates."""
        from fem.certificates.geometry import COMPUTED, PROVED, Constant, Geometry

        if natural:
            return super().geometry(natural)
        return Geometry(
            maxwell=Constant(EIGENVALUE**-0.5, COMPUTED),
            friedrichs=Constant(2 / (np.pi * np.sqrt(3)), PROVED),  # that of (−1, 1)³
            centre=(-0.5, -0.5, -0.5),
            reach=np.sqrt(4.75),
        )

    def layered(
        self, layers: int, ratio: float, order: int, n: int = 1, edge: Edge | None = None
    ) -> Any:
        """Return layers in all three directions; orders grow away from the planes x_i = 0."""
        from fem.spaces.bricks.unions import layered_fichera

        return layered_fichera(layers, ratio)


DOMAIN = Fichera.of("fichera", "the Fichera cube, with three re-entrant edges and a corner", BOXES)
