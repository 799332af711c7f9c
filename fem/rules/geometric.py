"""Quadrature in panels that halve towards a straight edge, for fields with layers at every scale.

The rules of `polar` turn powers of √R into polynomials and end near R = 1e-4; a field that is made
of windows in log R is neither, and may be wrong at any depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from fem.rules.quadrature import Rule, gauss, joined
from fem.spaces import Line

PANELS = 48  # down to R = 4e-15, where a coordinate next to 1 has one digit left


@lru_cache(maxsize=8)
def to_edge(
    edge: Line, quadrants: Sequence[tuple[int, int]], order: int = 6, panels: int = PANELS
) -> Rule:
    """Unit boxes about the edge, one for each pair of signs (of x₁ − a, x₂ − b), 0 < x₃ < 1.

    Each box consists of two triangles with coordinates (S, S t), S in halving panels.
    """
    t, w = gauss(order)
    cuts = 0.5 ** np.arange(panels)
    S = np.outer(cuts, (1 + t) / 2).ravel()
    wide = np.outer(cuts, w / 2).ravel() * S  # times S: the triangle's width
    angle, w_angle = gauss(order, 2)
    x3, w3 = gauss(order)
    S, T, Z = (axis.ravel() for axis in np.meshgrid(S, angle, x3, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", wide, w_angle, w3).ravel()
    parts = []
    for one, two in quadrants:
        for first, second in ((S, S * T), (S * T, S)):
            parts.append(
                Rule(np.stack([edge[0] + one * first, edge[1] + two * second, Z]), weights)
            )
    return joined(*parts)
