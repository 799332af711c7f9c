"""Self-scaled BFGS with a dense inverse Hessian: the default below about 5 000 parameters.

POSITIVE = "reject": a quasi-Newton step has a line search that turns an infinite J down, and a
rejected trial costs one evaluation; bounds would need an active set, and log τ bends the quadratic
model that the method lives on.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from nets.optimizers import Diverged, Objective, Report, Vector
from nets.optimizers._line_search import evaluate, weak_wolfe

POSITIVE = "reject"
LINE_SEARCH = True
# Relative test errors of a 2-50 ResNet after 6 s on one core, seed 100, with initial weights scaled
# by 0.5, 1, 2: 7.5e-4, 7.9e-4, 1.0e-3.
TUNED: dict[str, Any] = {}


def minimize(
    objective: Objective,
    theta: Vector,
    report: Report,
    *,
    scaling: Annotated[bool, "Scale H up before updates; without it this is plain BFGS."] = True,
) -> str:
    """BFGS whose H is scaled up by ρ = max(1, sᵀBs / sᵀy) before each update.

    With s = θ⁺ − θ and y = g⁺ − g: H ← ρH, then H ← (I − s yᵀ/sᵀy) H (I − y sᵀ/sᵀy) + s sᵀ/sᵀy,
    where sᵀBs = −α sᵀg needs no B. `scaling` = False is plain BFGS (ρ = 1). Al-Baali, Numerical
    experience with a class of self-scaling quasi-Newton algorithms, JOTA 96 (1998). The first H is
    I sᵀy/yᵀy. If the line search fails H is forgotten; if it fails then too, the end is reached.
    """
    from nets.optimizers._inverse_hessian import InverseHessian

    point = evaluate(objective, theta)
    if not np.isfinite(point.J):
        raise Diverged("J is not finite at the start")
    H = InverseHessian(point.theta.size)
    direction, first_alpha = -point.gradient, _first_alpha(point.gradient)
    fresh = True
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
        direction = H.update(s, y, rho, direction, accepted.gradient)
        fresh, first_alpha, point = False, 1.0, accepted


def state_bytes(parameters: int, **options: Any) -> int:
    """Half of a dense symmetric matrix."""
    return 4 * parameters**2


def _first_alpha(gradient: Vector) -> float:
    """The first trial along −g moves θ by at most 1."""
    return 1.0 / max(1.0, float(np.linalg.norm(gradient)))
