"""A fitted baseline as a field, compared with nets and elements in the same norms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError
from bench.measure.net_fields import difference_jacobian, difference_steps, has_derivatives
from bench.methods import baselines
from bench.problems import FEATURES, Problem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Baseline:
    """A fitted baseline as a field: x ↦ u(x), through the same inputs as a net."""

    fitted: baselines.Fitted
    problem: Problem
    features: tuple[str, ...]
    curl: bool

    def __call__(self, x: ArrayLike) -> Array:
        points = np.asarray(x, dtype=float)
        flat = self.fitted.predict(self.problem.inputs(points.reshape(3, -1), self.features))
        return np.ascontiguousarray(flat.T).reshape(points.shape)

    @property
    def jacobian(self) -> Callable[[Array], Array] | None:
        """Total derivatives [i, j] = ∂_j u_i by differences, where they are square-integrable."""
        if not (self.curl and has_derivatives(self.problem, self.features)):
            return None
        return lambda x: difference_jacobian(self, x, difference_steps(self.problem, x))


def fit_baseline(
    name: str,
    problem: Problem,
    points: Array,
    *,
    features: Iterable[str] = FEATURES,
    seed: int = 0,
) -> Baseline:
    """Fit a baseline to samples of u at `points` (3, N)."""
    chosen = tuple(features)
    method = baselines.get(name)
    if not baselines.takes(name, chosen):
        raise UserError(f"{name} accepts only {','.join(method.INPUTS)}, got {','.join(chosen)}")
    fitted = baselines.fitted(name, problem.inputs(points, chosen), problem.targets(points), seed)
    return Baseline(fitted, problem, chosen, getattr(method, "CURL", True))
