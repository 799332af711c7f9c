"""Variable projection: the output weights are eliminated, Levenberg–Marquardt moves the others.

The last layer enters the residuals linearly, r = A(θ) c − b, so for every θ its best weights c
solve a linear least-squares problem, and ½ ‖r‖² becomes a function of θ alone (Golub and Pereyra
1973). Its Jacobian is that of r in θ at fixed c, less its part in the range of A (Kaufman 1975).

NEEDS = "residuals", and with `linear` the place of c in the parameters; without one nothing is
eliminated. POSITIVE = "reject": a step to where J is not finite is refused and the damping raised.
"""

from __future__ import annotations

from typing import Any

from nets.optimizers import Damping, Objective, Report, Vector

POSITIVE = "reject"
LINE_SEARCH = True
NEEDS = "residuals"
TUNED: dict[str, Any] = {}


def minimize(
    objective: Objective, theta: Vector, report: Report, *, damping: Damping = 1e-2
) -> str:
    """(HᵀH + λ diag HᵀH) d = −Hᵀr with the projected Jacobian H; accepted if Σr² falls.

    λ follows the gain ratio as in `lm`. A step costs two Jacobians: one at the new θ for A and the
    new c, one for the derivatives at these c.
    """
    from nets.optimizers._projected import Projected

    run = Projected(objective, theta, damping)
    while True:
        report(run.theta, run.J, run.gradient)
        if not run.step():
            return run.reason


def state_bytes(parameters: int, **options: Any) -> int:
    """Return the bytes of HᵀH and its factor."""
    return 16 * parameters**2
