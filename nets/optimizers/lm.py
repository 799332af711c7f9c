"""Levenberg–Marquardt: Gauss–Newton steps with damping, for sums of squares.

NEEDS = "residuals": the objective must offer the residuals one by one with their Jacobian, not
only J and its gradient. Energy natural gradients (Müller and Zeinhofer 2023) are these steps with
a line search in place of the damping.

POSITIVE = "reject": a step to where J is not finite is refused and the damping raised.
"""

from __future__ import annotations

from typing import Any

from nets.optimizers import Damping, Objective, Report, Vector

POSITIVE = "reject"
LINE_SEARCH = True
NEEDS = "residuals"
TUNED: dict[str, Any] = {}


def minimize(
    objective: Objective, theta: Vector, report: Report, *, damping: Damping = 1e-3
) -> str:
    """(JᵀJ + λI) d = −Jᵀr by Cholesky; accepted if Σr² falls.

    λ follows the gain ratio (actual over predicted decrease), see `_damped`. With
    fewer residuals than parameters the same step is solved for in their space,
    d = −Jᵀ (JJᵀ + λI)⁻¹ r (Woodbury).
    """
    from nets.optimizers._damped import GaussNewton

    run = GaussNewton(objective, theta, damping)
    while True:
        report(run.theta, run.J, run.gradient)
        if not run.step():
            return run.reason


def state_bytes(parameters: int, **options: Any) -> int:
    """Return the bytes of JᵀJ and its factor."""
    return 16 * parameters**2
