"""Line searches, shared by the optimisers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nets.optimizers import Diverged, Objective, Vector

ARMIJO = 1e-4
CURVATURE = 0.9
MAX_TRIALS = 40  # 2^-40: below this a step no longer changes theta in double precision


@dataclass(frozen=True)
class Point:
    """A trial point along the line, with what the objective says there."""

    theta: Vector
    J: float
    gradient: Vector
    alpha: float


def is_finite(J: float, gradient: Vector) -> bool:
    """Whether both J and its gradient are finite (one pass: a sum is nan or inf if an entry is)."""
    return bool(np.isfinite(J) and np.isfinite(gradient.sum()))


def evaluate(objective: Objective, theta: Vector, alpha: float = 0.0) -> Point:
    J, gradient = objective(theta)
    return Point(theta, J if is_finite(J, gradient) else np.inf, gradient, alpha)


def first_point(objective: Objective, theta: Vector) -> Point:
    """Return the start of a minimisation, where J must be finite."""
    point = evaluate(objective, theta)
    if not np.isfinite(point.J):
        raise Diverged("J is not finite at the start")
    return point


def weak_wolfe(
    objective: Objective, start: Point, direction: Vector, alpha: float = 1.0
) -> Point | None:
    """A point that satisfies the weak Wolfe conditions, by bisection and doubling.

    J(θ + αd) ≤ J + c₁ α gᵀd (Armijo, 1e-4) and g(θ + αd)ᵀd ≥ c₂ gᵀd (curvature, 0.9).
    Bisection needs no interpolation, hence no smoothness, and copes with an infinite J:
    Lewis and Overton, Nonsmooth optimization via quasi-Newton methods, Math. Program. 141 (2013).
    If the trials run out, the last point with Armijo's decrease is returned, or None.
    """
    slope = float(start.gradient @ direction)
    low, high, decreased = 0.0, np.inf, None
    for _ in range(MAX_TRIALS):
        trial = evaluate(objective, start.theta + alpha * direction, alpha)
        if not start.J + ARMIJO * alpha * slope >= trial.J:
            high = alpha
        elif trial.gradient @ direction < CURVATURE * slope:
            low, decreased = alpha, trial
        else:
            return trial
        alpha = (low + high) / 2 if np.isfinite(high) else 2 * low
    return decreased
