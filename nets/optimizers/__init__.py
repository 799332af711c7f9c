"""Optimisers of a smooth function of one flat vector: every file beside this one is one, by name.

An optimiser module defines

    minimize(objective, theta, report, *, <its own options>) -> str

It calls `objective(theta) -> (J, gradient)`, and `report(theta, J, gradient)` at the start and
after every accepted step (with None for what it did not compute: the whole J, on mini batches). It
runs until `report` or the objective raises `Stop`; where it can do no more it returns the reason in
a few words. An objective may also offer `exceeds(theta, bound)`: True if J is above the bound, at
less than the price of a call. An objective that is not finite at `theta` is a refusal, not an
error: line searches shorten the step, Adam raises `Diverged`. Stops, history and the best state
live in `nets.training.loop`, written once for all.

How τ > 0 is kept (the Fractional-DNN divides by τ) is declared by each module in `POSITIVE`:

- "log": the optimiser is handed log τ in place of τ, so no step can leave the domain;
- "bounds": it is handed `lower`, a vector of lower bounds, and respects it;
- "reject": the objective is +inf outside, and the line search turns that down.

All three end within {τ > 0}; the docstring of each module says why its choice is the one it is.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nets.errors import InputError, nearest

Vector = NDArray[np.float64]
Objective = Callable[[Vector], tuple[float, Vector]]


class Report(Protocol):
    """Called at the start and after every accepted step; raises `Stop` to end the run."""

    def __call__(self, theta: Vector, J: float | None, gradient: Vector | None) -> None: ...


class Stop(Exception):
    """Ends a minimisation, with the reason."""


class Diverged(Exception):
    """The iterates left the region where the objective is finite, with no way back."""


def names() -> list[str]:
    """The optimisers there are, by file name."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def get(name: str) -> ModuleType:
    """The optimiser module called `name`."""
    if name not in names():
        raise InputError(f"unknown optimiser {name!r}; {nearest(name, names())}")
    return importlib.import_module(f"{__name__}.{name}")


def options(module: ModuleType) -> dict[str, Any]:
    """What an optimiser can be told, with the defaults; `lower` and `seed` the training sets."""
    defaults = module.minimize.__kwdefaults__ or {}
    return {name: value for name, value in defaults.items() if name not in ("lower", "seed")}


def check_options(module: ModuleType, given: dict[str, Any]) -> None:
    """Refuses options that the optimiser does not have, naming those that it has."""
    known = list(options(module))
    for option in given:
        if option not in known:
            name = module.__name__.rsplit(".", 1)[-1]
            hint = nearest(option, known) if known else "it has none"
            raise InputError(f"optimiser {name!r} has no option {option!r}; {hint}")
