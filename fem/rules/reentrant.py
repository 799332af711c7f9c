"""Quadrature on domains with re-entrant edges, graded towards them.

About an edge of opening 3π/2 fields grow like r^(−1/3); with r = σ³ their products are polynomials
in σ. Where three such edges meet, panels shrink towards the corner instead.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fem.rules.polar import Resolution
from fem.rules.quadrature import Rule, gauss, joined

SECTORS = 6  # of π/4 each: between them the wall 1/max(|cos θ|, |sin θ|) is smooth
POWER = 3


@lru_cache(maxsize=16)
def around_edge(res: Resolution) -> Rule:
    """The L-shaped prism in polar coordinates about {x₁ = x₂ = 0}, θ ∈ (0, 3π/2), r = σ³."""
    t, w = gauss(res.order, res.angle)
    sigma, w_sigma = gauss(res.order, res.radius)
    x3, w3 = gauss(res.order, res.height)
    parts = []
    for sector in range(SECTORS):
        theta, w_theta = np.pi / 4 * (sector + t), np.pi / 4 * w
        wall = 1.0 / np.maximum(abs(np.cos(theta)), abs(np.sin(theta)))
        r = wall[:, None] * sigma**POWER
        weights = w_theta[:, None] * w_sigma * wall[:, None] * POWER * sigma ** (POWER - 1) * r
        plane = np.stack([r * np.cos(theta)[:, None], r * np.sin(theta)[:, None]]).reshape(2, -1)
        points = np.vstack([np.repeat(plane, x3.size, axis=1), np.tile(x3, plane.shape[1])])
        parts.append(Rule(points, np.outer(weights, w3).ravel()))
    return joined(*parts)


@lru_cache(maxsize=16)
def boxes_to_origin(
    corners: tuple[tuple[int, int, int], ...], order: int, panels: int, shrink: float
) -> Rule:
    """Unit boxes with integer corners in {−1, 0}³, each axis in panels that shrink towards 0."""
    cuts = np.concatenate([[0.0], shrink ** np.arange(panels - 1.0, -1.0, -1.0)])
    t, w = gauss(order)
    x = (cuts[:-1, None] + np.diff(cuts)[:, None] * t).ravel()
    weights = np.outer(np.diff(cuts), w).ravel()
    grid = np.stack(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1)
    product = np.einsum("i,j,k->ijk", weights, weights, weights).ravel()
    signs = [np.array([[-1.0 if c < 0 else 1.0] for c in corner]) for corner in corners]
    return joined(*(Rule(grid * sign, product) for sign in signs))
