"""`prism`: the L-shaped prism ((−1,1)² ∖ [0,1)×(−1,0]) × (0,1), with one re-entrant edge.

The edge is {x₁ = x₂ = 0}; its two faces are x₂ = 0 (where x₁ > 0) and x₁ = 0 (where x₂ < 0). The
domain is θ ∈ (0, 3π/2) about the edge, θ from the face x₂ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bench.domains import Array, Edge, components
from bench.domains.parts.boxes import Boxes

if TYPE_CHECKING:
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

BOXES = np.array([(-1, -1, 0), (-1, 0, 0), (0, 0, 0)])
# 15 552 points, graded like r = σ³ towards the edge: |u|² ~ r^(−2/3) is a polynomial in σ.
DEFAULT = {"order": 6, "angle": 2, "radius": 3, "height": 2}


class Prism(Boxes):
    """The L-shaped prism."""

    def rules(
        self, edges: Sequence[Edge] = (), resolution: Resolution | None = None
    ) -> dict[str, Quadrature]:
        from fem.rules.polar import Resolution
        from fem.rules.reentrant import around_edge

        self.only_edge(edges)
        return {"whole": around_edge(resolution or Resolution(**DEFAULT))}

    def edge_distance(self, x: ArrayLike) -> Array:
        x1, x2, _ = components(x)
        return np.asarray(np.hypot(x1, x2))

    def layered(
        self, layers: int, ratio: float, order: int, n: int = 1, edge: Edge | None = None
    ) -> Any:
        from fem.spaces.bricks.unions import layered_prism

        return layered_prism(layers, ratio, order, n)


DOMAIN = Prism.of("prism", "the L-shaped prism, with a re-entrant edge", BOXES)
