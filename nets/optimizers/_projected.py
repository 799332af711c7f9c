"""Damped Gauss–Newton steps on what is left of residuals when linear parameters are eliminated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from nets.optimizers import Diverged, Vector
from nets.untrained.triangle import back

Array = NDArray[np.float64]
SMALLEST, LARGEST = 1e-14, 1e12  # of λ, relative to the diagonal
REFUSALS = 30


@dataclass(frozen=True)
class Elimination:
    """Householder's factors of A, with the residuals r of the parameters that A was taken at."""

    factors: Array
    tau: Array
    rotated: Array  # Qᵀr

    @classmethod
    def of(cls, A: Array, r: Array) -> Elimination:
        factors, tau, _, _ = lapack.dgeqrf(np.asfortranarray(A), lwork=64 * max(1, A.shape[1]))
        return cls(factors, tau, _turned(factors, tau, r[:, None])[:, 0])

    @property
    def columns(self) -> int:
        return self.factors.shape[1]

    def change(self) -> Array:
        """δ that minimises ‖r + A δ‖."""
        n = self.columns
        return back(np.triu(self.factors[:n]), -self.rotated[:n])

    def left(self) -> Array:
        """r + A δ in the coordinates of Q, without its first entries, which are 0."""
        return self.rotated[self.columns :]

    def projected(self, J: Array) -> Array:
        """The part of J that is orthogonal to the range of A, in the same coordinates."""
        return _turned(self.factors, self.tau, J)[self.columns :]


def _turned(factors: Array, tau: Array, values: Array) -> Array:
    """Qᵀ times the columns."""
    if not len(tau):
        return values
    size = 64 * max(64, values.shape[1])
    return np.asarray(lapack.dormqr("L", "T", factors, tau, np.asfortranarray(values), size)[0])


class Projected:
    """θ with the best linear parameters, and the damping λ; `step` moves θ."""

    def __init__(self, objective: Any, theta: Vector, damping: float) -> None:
        self.objective, self.damping, self.reason = objective, damping, ""
        linear = getattr(objective, "linear", None) or slice(0, 0)
        self.linear = np.zeros(theta.size, bool)
        self.linear[linear] = True
        if objective.count <= self.linear.sum():
            self.linear[:] = False  # everything could be fitted: nothing to project on
        found = self._solved(theta)
        if found is None:
            raise Diverged("J or its derivatives are not finite")
        self._linearise(*found)

    def _linearise(self, theta: Vector, J: float, solved: Elimination) -> None:
        """The derivatives at θ, which has its best linear parameters."""
        self.theta, self.J, self.solved = theta, J, solved
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.objective.jacobian(theta)
            if found is None:
                raise Diverged("the residuals are not finite at the best linear parameters")
            r, transposed = found
            self.gradient = transposed @ r
            H = solved.projected(transposed[~self.linear].T)
            self.square, self.slope = H.T @ H, H.T @ solved.left()
        if not all(np.isfinite(part).all() for part in (self.gradient, self.square, self.slope)):
            raise Diverged("derivatives overflow at the best linear parameters")

    def _solved(self, theta: Vector) -> tuple[Vector, float, Elimination] | None:
        """θ with its best linear parameters, J there, and the elimination; None if not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.objective.jacobian(theta)
        if found is None or not np.isfinite(found[1]).all():
            return None
        r, transposed = found
        A = transposed[self.linear].T
        with np.errstate(over="ignore", invalid="ignore"):
            solved = Elimination.of(A, r)
            change = solved.change()
            left = r + A @ change  # not by Q: dependent columns leave digits in the change
            J = float(left @ left) / 2
        best = theta.copy()
        best[self.linear] += change
        return (best, J, solved) if np.isfinite(best).all() and np.isfinite(J) else None

    def step(self) -> bool:
        """Take one accepted step; return False and set `reason` where none is found."""
        if not np.any(self.slope):
            self.reason = "the gradient is zero"
            return False
        for _ in range(REFUSALS):
            self.damping = min(max(self.damping, SMALLEST), LARGEST)
            if self._tried(self.square, self.slope):
                return True
            self.damping *= 4
        self.reason = "no damping decreases J"
        return False

    def _tried(self, square: Array, slope: Array) -> bool:
        """Whether the step with the present damping was accepted."""
        diagonal = square.diagonal() + 1e-16 * square.diagonal().max()
        damped = square + np.diag(self.damping * diagonal)
        try:
            factor = cho_factor(damped, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
        direction = -cho_solve(factor, slope, check_finite=False)
        trial = self.theta.copy()
        trial[~self.linear] += direction
        found = self._solved(trial)
        promised = -0.5 * float(slope @ direction)
        promised += 0.5 * self.damping * float(direction @ (diagonal * direction))
        if found is None or found[1] >= self.J:
            return False
        gain = (self.J - found[1]) / max(promised, 1e-300)
        self._linearise(*found)
        self.damping *= 0.2 if gain > 0.5 else 0.7 if gain > 0.25 else 2.0
        return True
