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
from typing import Any

from base.errors import UserError
from base.registry import Registry


@dataclass(frozen=True)
class Fitted:
    """A fitted predictor (N, inputs) -> (N, outputs), with the choice and time of its search."""

    predict: Callable[..., Any]
    unknowns: int
    chosen: Mapping[str, Any] = field(default_factory=dict)
    seconds_tuning: float = 0.0


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


def fitted(name: str, inputs: Any, targets: Any, seed: int) -> Fitted:
    """The method of this name, fitted to rows of inputs and targets."""
    found = get(name).fit(inputs, targets, seed)
    return found if isinstance(found, Fitted) else Fitted(*found)


def takes(name: str, features: Iterable[str]) -> bool:
    """Whether the method accepts these inputs."""
    accepted = getattr(get(name), "INPUTS", None)
    return accepted is None or set(features) <= set(accepted)
