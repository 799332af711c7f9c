"""Damped Gauss–Newton steps on an objective that offers its residuals."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from nets.optimizers import Diverged, Vector

SMALLEST, LARGEST = 1e-18, 1e12  # of λ against the largest diagonal entry of JᵀJ
REFUSALS = 30


class GaussNewton:
    """θ with its residuals r, their Jacobian J and the damping λ; `step` moves θ.

    λ ← λ/5 after a good step (gain ratio above ½), 0.7 λ after a fair one (¼), 2 λ after a poor
    one, 4 λ after a refusal.
    """

    def __init__(self, objective: Any, theta: Vector, damping: float) -> None:
        self.objective, self.theta, self.reason = objective, theta.copy(), ""
        self.small = objective.count < theta.size  # fewer residuals than parameters
        self._linearise()
        self.damping = damping * float(self.diagonal)

    def _linearise(self) -> None:
        """r, the gradient and the matrix at θ."""
        ask = self.objective.jacobian if self.small else self.objective.normal_equations
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            found = ask(self.theta)
            self.J = np.inf if found is None else float(found[0] @ found[0]) / 2
        if found is None or not np.isfinite(self.J) or not np.isfinite(found[-1].sum()):
            raise Diverged("J or its derivatives are not finite")
        self.r = found[0]
        if self.small:
            self.transposed = found[1]
            self.matrix = self.transposed.T @ self.transposed
            self.gradient = self.transposed @ self.r
            diagonal = np.einsum("pr,pr->p", self.transposed, self.transposed)
        else:
            self.matrix, self.gradient = found[1], found[2]
            diagonal = self.matrix.diagonal()
        self.diagonal = max(float(diagonal.max()), 1e-300)  # of JᵀJ, the largest entry

    def step(self) -> bool:
        """Take one accepted step; return False and set `reason` where none is found."""
        if not np.any(self.gradient):
            self.reason = "the gradient is zero"
            return False
        for _ in range(REFUSALS):
            self.damping = min(max(self.damping, SMALLEST * self.diagonal), LARGEST * self.diagonal)
            direction = self._direction()
            if direction is not None:
                with np.errstate(over="ignore", invalid="ignore"):
                    r = self.objective.residuals(self.theta + direction)
                    reached = np.inf if r is None else float(r @ r) / 2
                promised = -0.5 * float(self.gradient @ direction)
                promised += 0.5 * self.damping * float(direction @ direction)
                gain = (self.J - reached) / promised if np.isfinite(reached) else -1.0
                if gain > 0:
                    self.theta = self.theta + direction
                    self.damping *= 0.2 if gain > 0.5 else 0.7 if gain > 0.25 else 2.0
                    self._linearise()
                    return True
            self.damping *= 4
        self.reason = "no damping decreases J"
        return False

    def _direction(self) -> Vector | None:
        try:
            if self.small:
                inner = cho_solve(self._factor(), self.r, check_finite=False)
                return np.asarray(-(self.transposed @ inner))
            return np.asarray(-cho_solve(self._factor(), self.gradient, check_finite=False))
        except LinAlgError:
            return None

    def _factor(self) -> tuple[Any, bool]:
        """Cholesky of the matrix + λI."""
        damped = self.matrix.copy()
        damped.flat[:: len(damped) + 1] += self.damping
        return cho_factor(damped, lower=True, overwrite_a=True, check_finite=False)
