"""Quasi-Newton descent with a dense inverse Hessian: what the self-scaled methods share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from nets.optimizers import Objective, Report, Vector
from nets.optimizers._inverse_hessian import InverseHessian
from nets.optimizers._line_search import Point, first_point, weak_wolfe

#: (sᵀBs/sᵀy, yᵀHy/sᵀy, parameters) -> ρ, φ: a member of Broyden's class with its scaling
Member = Callable[[float, float, int], tuple[float, float]]


def descend(
    objective: Objective,
    theta: Vector,
    report: Report,
    *,
    scaling: bool = True,
    member: Member | None = None,
) -> str:
    """Steps along −Hg with a weak Wolfe search, until nothing decreases J.

    BFGS with ρ = max(1, sᵀBs/sᵀy) (with `scaling`), or the `member` of Broyden's class. The
    first H is I scaled by the first pair. If the line search fails, H is reset; if it fails again,
    the run ends.
    """
    point = first_point(objective, theta)
    run = QuasiNewton(objective, point, InverseHessian(point.theta.size), scaling, member)
    while True:
        report(run.point.theta, run.point.J, run.point.gradient)
        if not run.step():
            return run.reason


class QuasiNewton:
    """A point, the inverse Hessian H and the next direction; `step` moves the point."""

    def __init__(
        self,
        objective: Objective,
        point: Point,
        H: InverseHessian,
        scaling: bool,
        member: Member | None,
    ) -> None:
        self.objective, self.point, self.H = objective, point, H
        self.scaling, self.member, self.reason = scaling, member, ""
        self.fresh = H.triangle is None  # whether H is the identity
        if self.fresh:
            self._restart()
        else:
            self.direction, self.first_alpha = -H.times(point.gradient), 1.0

    def step(self) -> bool:
        """Take one step, or reset H where no step decreases J; False and a `reason` at the end."""
        point = self.point
        if not np.any(point.gradient):
            self.reason = "the gradient is zero"
            return False
        accepted = weak_wolfe(self.objective, point, self.direction, self.first_alpha)
        if accepted is None:
            if self.fresh:
                self.reason = "no step along the gradient decreases J"
                return False
            self._restart()
            return True
        self._update(accepted)
        return True

    def _restart(self) -> None:
        self.H.forget()
        self.direction = -self.point.gradient
        self.first_alpha, self.fresh = _first_alpha(self.point.gradient), True

    def _update(self, accepted: Point) -> None:
        """Add the pair of this step to H, and move to the point."""
        point = self.point
        s, y = accepted.theta - point.theta, accepted.gradient - point.gradient
        sBs, curved = -accepted.alpha * float(s @ point.gradient), s @ y > 0 and not self.fresh
        rho = max(1.0, sBs / float(s @ y)) if self.scaling and curved else 1.0
        chosen = None
        if self.member is not None and curved:
            chosen = partial(_member, self.member, sBs / float(s @ y), s.size)
        self.direction = self.H.update(s, y, rho, self.direction, accepted.gradient, chosen)
        self.fresh, self.first_alpha, self.point = False, 1.0, accepted


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
