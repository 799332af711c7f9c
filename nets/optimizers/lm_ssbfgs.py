"""Levenberg–Marquardt first, self-scaled BFGS from its inverse Hessian when it slows down.

NEEDS = "residuals", for the first part. POSITIVE = "reject", like both of its parts.
"""

from __future__ import annotations

from typing import Annotated, Any

from nets.optimizers import Damping, Objective, Report, Vector

POSITIVE = "reject"
LINE_SEARCH = True
NEEDS = "residuals"
TUNED: dict[str, Any] = {}


def minimize(
    objective: Objective, theta: Vector, report: Report, *,
    damping: Damping = 1e-3,
    longest: Annotated[int, "At most so many steps of Levenberg–Marquardt."] = 100,
    window: Annotated[int, "Steps in which J must fall to a half, or the switch is made."] = 10,
    broyden: Annotated[bool, "Go on with self-scaled Broyden instead of BFGS."] = False,
) -> str:  # fmt: skip
    """Damped Gauss–Newton steps while they make progress, then quasi-Newton with H = (JᵀJ + λI)⁻¹.

    The switch depends on steps and J alone, so that runs are reproducible.
    """
    from nets.optimizers._damped import GaussNewton
    from nets.optimizers._quasi_newton import descend
    from nets.optimizers.ssbroyden import member

    run = GaussNewton(objective, theta, damping)
    reached: list[float] = []
    while len(reached) < longest:
        report(run.theta, run.J, run.gradient)
        reached.append(run.J)
        slow = len(reached) > window and reached[-1 - window] < 2 * run.J
        if slow or not run.step():
            break
    chosen = member if broyden else None
    return descend(objective, run.theta, report, member=chosen, inverse=run.inverse())


def state_bytes(parameters: int, **options: Any) -> int:
    """Return the bytes of JᵀJ, its factor and the inverse."""
    return 24 * parameters**2


def warm_up() -> None:
    """Compile before the clock runs."""
    from nets.optimizers._quasi_newton import warm_up

    warm_up()
