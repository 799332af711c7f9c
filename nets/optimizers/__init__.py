"""Optimisers of a smooth function of one flat vector: every file beside this one is one, by name.

An optimiser module defines

    minimize(objective, theta, report, *, <its own options>) -> str

It calls `objective(theta) -> (J, gradient)`, and `report(theta, J, gradient)` at the start and after
every accepted step. It runs until `report` (or the objective) raises `Stop`; where it can do no
more it returns the reason in a few words. An objective that is not finite at `theta` is a refusal,
not an error: line searches shorten the step, Adam raises `Diverged`. The stops, the history and the
best state live in `nets.training`, written once for all.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Vector = NDArray[np.float64]
Objective = Callable[[Vector], tuple[float, Vector]]
Report = Callable[[Vector, float, Vector], None]

#: Up to this many parameters the dense self-scaled BFGS is the default; 4P² bytes and one pass over
#: them a step (3 ms at P = 3102), so that the matrix costs less than the net.
DENSE_LIMIT = 5000


class Stop(Exception):
    """Raised by `report` or by the objective to end a minimisation, with the reason."""


class Diverged(Exception):
    """The iterates left the region where the objective is finite, with no way back."""


def names() -> list[str]:
    """The optimisers there are, by file name."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def get(name: str) -> ModuleType:
    """The optimiser module called `name`."""
    if name not in names():
        raise InputError(f"no optimiser {name!r}; known: {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{name}")


def default(parameters: int) -> str:
    """The strongest optimiser for so many parameters: dense, or with limited memory."""
    return "ssbfgs" if parameters <= DENSE_LIMIT else "lssbfgs"


def check_options(module: ModuleType, options: dict[str, Any]) -> None:
    """Refuses options that `module.minimize` does not know, naming those that it does."""
    code = module.minimize.__kwdefaults__ or {}
    for option in options:
        if option not in code:
            known = ", ".join(sorted(code)) or "none"
            name = module.__name__.rsplit(".", 1)[-1]
            raise InputError(f"optimiser {name!r} has no option {option!r}; known: {known}")
