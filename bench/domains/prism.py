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
    from fem.certificates.geometry import Geometry
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

BOXES = np.array([(-1, -1, 0), (-1, 0, 0), (0, 0, 0)])
# 15 552 points, graded like r = σ³ towards the edge: |u|² ~ r^(−2/3) is a polynomial in σ.
CAPS = ("x3=0", "x3=1")
# Lower bounds of the first Dirichlet and the first nonzero Neumann eigenvalue of the L-shape, by
# `fem.certificates.eigenvalues.laplace_bounds` with legs 1/48 (maths 12.4)
DIRICHLET, NEUMANN = 9.6207, 1.4734
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

    def geometry(self, natural: Sequence[str] = ()) -> Geometry:
        """Return constants proved for natural conditions on both caps."""
        from fem.certificates.geometry import PROVED, Constant, Geometry
        from fem.certificates.rules import prism_rules

        if sorted(natural) != sorted(CAPS):
            return super().geometry(natural)
        squares = tuple((int(a), int(b)) for a, b, _ in BOXES)
        return Geometry(
            maxwell=Constant(NEUMANN**-0.5, PROVED),
            friedrichs=Constant(DIRICHLET**-0.5, PROVED),
            centre=(-0.5, 0.5, 0.0),
            scale=(1.0, 1.0, 0.0),
            reach=np.sqrt(2.5),
            caps=DIRICHLET,
            rules=lambda level, edge: prism_rules(squares, level, edge),
        )

    def layered(
        self, layers: int, ratio: float, order: int, n: int = 1, edge: Edge | None = None
    ) -> Any:
        from fem.spaces.bricks.unions import layered_prism

        return layered_prism(layers, ratio, order, n)


DOMAIN = Prism.of("prism", "the L-shaped prism, with a re-entrant edge", BOXES)
