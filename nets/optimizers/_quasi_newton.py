"""Quasi-Newton descent with a dense inverse Hessian: what the self-scaled methods share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nets.optimizers import Objective, Report, Vector
from nets.optimizers._inverse_hessian import InverseHessian
from nets.optimizers._line_search import first_point, weak_wolfe

#: (sᵀBs/sᵀy, yᵀHy/sᵀy, parameters) -> ρ, φ: a member of Broyden's class with its scaling
Member = Callable[[float, float, int], tuple[float, float]]


def descend(
    objective: Objective,
    theta: Vector,
    report: Report,
    *,
    scaling: bool = True,
    member: Member | None = None,
    inverse: NDArray[np.float64] | None = None,
) -> str:
    """Steps along −Hg with a weak Wolfe search, until nothing decreases J.

    BFGS with ρ = max(1, sᵀBs/sᵀy) (with `scaling`), or the `member` of Broyden's class; `inverse`
    is the first H, by default I scaled by the first pair. If the line search fails, H is reset;
    if it fails again, the run ends.
    """
    point = first_point(objective, theta)
    H = InverseHessian(point.theta.size)
    direction, first_alpha, fresh = -point.gradient, _first_alpha(point.gradient), True
    if inverse is not None:
        H.start_from(inverse)
        direction, first_alpha, fresh = -(inverse @ point.gradient), 1.0, False
    while True:
        report(point.theta, point.J, point.gradient)
        if not np.any(point.gradient):
            return "the gradient is zero"
        accepted = weak_wolfe(objective, point, direction, first_alpha)
        if accepted is None:
            if fresh:
                return "no step along the gradient decreases J"
            H.forget()
            direction, first_alpha = -point.gradient, _first_alpha(point.gradient)
            fresh = True
            continue
        s, y = accepted.theta - point.theta, accepted.gradient - point.gradient
        sBs = -accepted.alpha * float(s @ point.gradient)
        rho = max(1.0, sBs / float(s @ y)) if scaling and not fresh and s @ y > 0 else 1.0
        chosen = None
        if member is not None and not fresh and s @ y > 0:
            chosen = partial(_member, member, sBs / float(s @ y), s.size)
        direction = H.update(s, y, rho, direction, accepted.gradient, chosen)
        fresh, first_alpha, point = False, 1.0, accepted


def _member(member: Member, b: float, size: int, h: float) -> tuple[float, float]:
    return member(b, h, size)


def _first_alpha(gradient: Vector) -> float:
    """The first trial along −g moves θ by at most 1."""
    return 1.0 / max(1.0, float(np.linalg.norm(gradient)))


def warm_up() -> None:
    """A few steps on ½‖θ‖², so that numba compiles before the clock runs."""
    H, unit = InverseHessian(3), np.ones(3)
    for _ in range(2):
        H.update(unit, unit, 1.0, -unit, unit)
