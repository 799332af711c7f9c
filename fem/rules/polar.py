"""Quadrature on the unit cube divided at the cylinder {r ≤ 1, 0 ≤ x₃ ≤ 1}, and on the cylinder.

Gauss in polar coordinates that follow r = 1 (an indicator function on a tensor rule is wrong by
percents). Where a field is singular on a vertical edge of the cube, the coordinates are polar about
that edge, graded so that powers of √distance become polynomials:

    x = (a ± R cos α, b ± R sin α), R = σ², 0 ≤ α ≤ π/2.

The circle, seen from (1, 0), is R = 2 cos α and meets the walls x₁ = 0 (R = 1/cos α) and x₂ = 1
(R = 1/sin α) at α = π/4; seen from (1, 1) it is R = cos α + sin α − √(sin 2α). Both are square
roots of the angle where they touch a wall, and the angle is graded quadratically there. (0, 1) is
the mirror image of (1, 0) in x₁ = x₂, and (0, 0) is the axis itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps

import numpy as np

from base.errors import UserError
from fem.rules.quadrature import Array, Rule, gauss, joined
from fem.spaces import Line

AXIS, FAR, RIGHT, BACK = (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)
CORNERS = (AXIS, RIGHT, BACK, FAR)

Plane = tuple[Array, Array, Array]  # x₁, x₂ and weights of a planar rule
Range = tuple[Array, Array]  # angles and their weights


@dataclass(frozen=True)
class Resolution:
    """How fine a polar rule is: Gauss points per panel, panels along angle, radius and height."""

    order: int
    angle: int
    radius: int
    height: int

    def refined(self) -> Resolution:
        return Resolution(self.order, 2 * self.angle, 2 * self.radius, 2 * self.height)


Part = Callable[..., Rule]


def _at_any_edge(part: Part) -> Part:
    """The part for (0, 1) as the mirror image of that for (1, 0); kept, as rules are shared."""

    @lru_cache(maxsize=32)
    def graded(res: Resolution, edge: Line | None = None) -> Rule:
        if edge is not None and edge not in CORNERS:
            raise UserError(
                "the rules inside and outside the cylinder are graded towards a vertical edge of "
                f"the cube, x₁ and x₂ 0 or 1, not x₁, x₂ = {edge}"
            )
        return swapped(graded(res, RIGHT)) if edge == BACK else part(res, edge)

    return wraps(part)(graded)


@_at_any_edge
def inside_cylinder(res: Resolution, edge: Line | None = None) -> Rule:
    """{r ≤ 1} within the unit cube, a quarter of the cylinder, graded towards the edge."""
    if edge == RIGHT:
        alpha, w = _interval(res, 0, np.pi / 4)
        to_wall = _polar(res, (alpha, w), 0 * alpha, 1 / np.cos(alpha), power=2)
        alpha, w = _towards(res, np.pi / 2, np.pi / 4)
        to_circle = _polar(res, (alpha, w), 0 * alpha, 2 * np.cos(alpha), power=2)
        return joined(*(_prism(_from_right(part), res) for part in (to_wall, to_circle)))
    theta, w = _interval(res, 0, np.pi / 2)
    power = 2 if edge == AXIS else 1
    return _prism(_polar(res, (theta, w), 0 * theta, 1 + 0 * theta, power), res)


@_at_any_edge
def outside_cylinder(res: Resolution, edge: Line | None = None) -> Rule:
    """{r > 1} within the unit cube, graded towards the edge."""
    if edge == RIGHT:
        alpha, w = _towards(res, np.pi / 2, np.pi / 4)
        part = _polar(res, (alpha, w), 2 * np.cos(alpha), 1 / np.sin(alpha), power=2)
        return _prism(_from_right(part), res)
    if edge == FAR:
        alpha, w = _towards(res, 0.0, np.pi / 4)
        x1, x2, w = _polar(res, (alpha, w), 0 * alpha, circle_from_far(alpha), power=2)
        half = _prism((1 - x1, 1 - x2, w), res)
        return joined(half, swapped(half))
    halves = []
    for start in (0, np.pi / 4):  # r from 1 to 1/max(cos θ, sin θ), split at θ = π/4
        theta, w = _interval(res, start, start + np.pi / 4)
        wall = 1 / np.maximum(np.cos(theta), np.sin(theta))
        halves.append(_prism(_polar(res, (theta, w), 1 + 0 * theta, wall), res))
    return joined(*halves)


def circle_from_far(alpha: Array) -> Array:
    """R(α) = cos α + sin α − √(sin 2α): where the ray from (1, 1) first meets r = 1."""
    return np.cos(alpha) + np.sin(alpha) - np.sqrt(np.sin(2 * alpha))


def _interval(res: Resolution, start: float, end: float) -> Range:
    t, w = gauss(res.order, res.angle)
    return start + (end - start) * t, (end - start) * w


def _towards(res: Resolution, end: float, width: float) -> Range:
    """The range of that width next to 0 or π/2, β² of it from the `end`, β in (0, 1)."""
    beta, w = gauss(res.order, res.angle)
    return abs(end - width * beta**2), 2 * width * beta * w


def _polar(res: Resolution, angles: Range, r_from: Array, r_to: Array, power: int = 1) -> Plane:
    """Planar points (r cos, r sin) and weights, r = σ^power between two curves r(angle)."""
    angle, w_angle = angles
    t, w = gauss(res.order, res.radius)
    s_from, s_to = (r[:, None] ** (1 / power) for r in (r_from, r_to))
    sigma = s_from + (s_to - s_from) * t
    r = sigma**power
    weights = w_angle[:, None] * w * (s_to - s_from) * power * sigma ** (power - 1) * r
    return r * np.cos(angle)[:, None], r * np.sin(angle)[:, None], weights


def _from_right(part: Plane) -> Plane:
    """Polar about (1, 0): the first direction runs towards the axis."""
    towards_axis, up, weights = part
    return 1 - towards_axis, up, weights


def _prism(plane: Plane, res: Resolution) -> Rule:
    """A planar rule times Gauss in 0 < x₃ < 1."""
    x1, x2, weights = plane
    x3, w3 = gauss(res.order, res.height)
    planar = np.stack([x1.ravel(), x2.ravel()])
    points = np.concatenate([np.repeat(planar, x3.size, axis=1), [np.tile(x3, x1.size)]])
    return joined(Rule(points, np.outer(weights, w3).ravel()))


def swapped(rule: Rule) -> Rule:
    """x₁ and x₂ exchanged."""
    return joined(Rule(rule.points[[1, 0, 2]], rule.weights))
