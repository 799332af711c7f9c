"""A fitted baseline as a field, compared with nets and elements in the same norms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError
from bench.measure.net_fields import difference_jacobian, difference_steps, has_derivatives
from bench.methods import baselines
from bench.problems import FEATURES, Problem

Array = NDArray[np.float64]
Predict = Callable[[Array], Array]


@dataclass(frozen=True)
class Baseline:
    """A fitted baseline as a field: x ↦ u(x), through the same inputs as a net."""

    predict: Predict
    problem: Problem
    features: tuple[str, ...]
    unknowns: int
    curl: bool
    chosen: Mapping[str, Any] = field(default_factory=dict)
    seconds_tuning: float = 0.0

    def __call__(self, x: ArrayLike) -> Array:
        points = np.asarray(x, dtype=float)
        flat = self.predict(self.problem.inputs(points.reshape(3, -1), self.features))
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
    found = method.fit(problem.inputs(points, chosen), problem.targets(points), seed)
    fitted = found if isinstance(found, baselines.Fitted) else baselines.Fitted(*found)
    return Baseline(
        fitted.predict,
        problem,
        chosen,
        fitted.unknowns,
        getattr(method, "CURL", True),
        fitted.chosen,
        fitted.seconds_tuning,
    )
