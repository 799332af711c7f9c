"""Baselines without a net, given what the nets are given: the same samples, the same inputs.

Each file of this folder is a method: `fit(inputs, targets, seed)` gives a predictor and its number
of unknowns, so that the comparison can count them, or a `Fitted` that also records the choice
and the time of a search among settings, which uses training samples only. `CURL = False` means that
the predictor jumps and has no curl, or that its curl, by differences, would take longer than all
the rest; `INPUTS = ("x",)` that it takes positions only; `COSTLY = True` that it takes seconds at
12 000 samples, so that presets fit it to few draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError
from base.registry import Registry
from bench.measure.net_fields import difference_jacobian, has_derivatives
from bench.methods.baselines._search import Fitted
from bench.problems import FEATURES, Problem

__all__ = ["Baseline", "Fitted", "fit_baseline", "get", "names", "takes"]

Array = NDArray[np.float64]
Predict = Callable[[Array], Array]


class Method(Protocol):
    """The interface of a file in this folder."""

    def fit(self, inputs: Array, targets: Array, seed: int) -> Fitted | tuple[Predict, int]:
        """The fitted predictor (N, inputs) -> (N, 3) and its number of unknowns."""


def _made(found: Any, name: str) -> Any:
    if hasattr(found, "fit"):
        return found
    if callable(found):
        return SimpleNamespace(fit=found, SMOOTH=getattr(found, "SMOOTH", True))
    raise UserError(
        f"{name} is not a baseline: define fit(inputs, targets, seed), see bench/methods/baselines"
    )


REGISTRY: Registry[Any] = Registry("baseline", __name__, _made, group="baselines")
get, names = REGISTRY.get, REGISTRY.names


def takes(name: str, features: Iterable[str]) -> bool:
    """Whether the method accepts these inputs."""
    return set(features) <= set(getattr(get(name), "INPUTS", FEATURES))


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
        return lambda x: difference_jacobian(self, x, self.problem)


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
    method = get(name)
    if not takes(name, chosen):
        raise UserError(f"{name} accepts only {','.join(method.INPUTS)}, got {','.join(chosen)}")
    found = method.fit(problem.inputs(points, chosen), problem.targets(points), seed)
    fitted = found if isinstance(found, Fitted) else Fitted(*found)
    return Baseline(
        fitted.predict,
        problem,
        chosen,
        fitted.unknowns,
        getattr(method, "CURL", True),
        fitted.chosen,
        fitted.seconds_tuning,
    )
