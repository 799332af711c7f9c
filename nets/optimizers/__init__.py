"""Optimisers of a smooth function of one flat vector: one file each, found by its name.

An optimiser module declares:

    minimize(objective, theta, report, *, <its own options>) -> str
    POSITIVE       how τ > 0 is kept, see below
    LINE_SEARCH    whether it finds its step lengths itself; one that does not must be given a rate
    TUNED          training settings used to compare optimisers, and how they were found
    state_bytes    (parameters, **options) -> bytes that it keeps from step to step
    NEEDS          "residuals" if J and its gradient are not enough for it; may be left out
    warm_up        compiles what it needs before the clock runs; may be left out

An option is a keyword of `minimize` with a default, and its type carries a line of help:
`rate: Annotated[float, "First step length."] = 1.0`. `options` reads them. (`lower`, `seed` and
`parameters`, the tensors in θ, are not options: the training sets them.) Files import torch,
SciPy and numba inside their functions, so that planning can read the rest without them. In
Python a function with the arguments of `minimize`, or a class like those of torch.optim, can be
given instead of a name.

It calls `objective(theta) -> (J, gradient)`, and `report(theta, J, gradient)` at the start and
after every accepted step (with None for what it did not compute: the whole J, on mini batches). It
runs until `report` or the objective raises `Stop`; if it cannot continue, it returns the reason in
a few words. An objective may also offer `exceeds(theta, bound)`: True if J is above the bound, at
less than the price of a call. One that is a sum of squares ½ Σ r² may offer its residuals, which
an optimiser with NEEDS = "residuals" then asks for (and is refused without): `count` of them,
`residuals(theta) -> r`, `jacobian(theta) -> (r, Jᵀ)`, `normal_equations(theta) -> (r, JᵀJ, Jᵀr)`,
each None where r is not finite; `linear` is the slice of θ in which r is linear. An objective that
is not finite at `theta` is not an error: line searches shorten the step, Adam raises `Diverged`.
Stops, history and the best state live in `nets.training.loop`, written once for all.

How τ > 0 is kept (the Fractional-DNN divides by τ) is declared in `POSITIVE`:

- "log": the optimiser is handed log τ in place of τ, so no step can leave the domain;
- "bounds": it is handed `lower`, a vector of lower bounds, and respects it;
- "reject": the objective is +inf outside, and the line search rejects that.

All three end within {τ > 0}; the docstring of each module explains its choice.

`SSBFGS`, `SSBroyden` and `LM` are three of them as classes like those of torch.optim, for any torch
loss: `step(closure)` (`docs/howto/self_scaled_bfgs.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Protocol, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError, nearest
from base.registry import Registry

if TYPE_CHECKING:
    from nets.optimizers._torch_classes import LM as LM
    from nets.optimizers._torch_classes import SSBFGS as SSBFGS
    from nets.optimizers._torch_classes import SSBroyden as SSBroyden

Vector = NDArray[np.float64]
Objective = Callable[[Vector], tuple[float, Vector]]
Damping = Annotated[float, "First damping, relative to the largest diagonal entry."]
Kept = Annotated[int, "Pairs of steps and changes of the gradient that are kept."]


class Report(Protocol):
    """Called at the start and after every accepted step; raises `Stop` to end the run."""

    def __call__(self, theta: Vector, J: float | None, gradient: Vector | None) -> None: ...


class Stop(Exception):
    """The end of a minimisation, with the reason."""


class Diverged(Exception):
    """The iterates left the region where the objective is finite, with no way back."""


#: Up to so many parameters the dense self-scaled BFGS is the default: a step passes once over its
#: 4P² bytes (3 ms at P = 3102), less than the net itself costs.
DENSE_LIMIT = 5000
#: What "auto" means: up to so many parameters, beyond, and where a net solves an equation.
AUTO = {"dense": "ssbfgs", "limited": "lssbfgs", "equation": "ssbroyden"}
SET_BY_THE_TRAINING = ("lower", "seed", "parameters")
WAYS = ("log", "bounds", "reject")
DECLARATIONS = {
    "minimize": "the function (objective, theta, report, *, options) -> reason",
    "POSITIVE": f"how tau > 0 is kept, one of {', '.join(WAYS)}",
    "LINE_SEARCH": "whether it finds its step lengths itself, True or False",
    "TUNED": "training settings used to compare optimisers, a dict",
    "state_bytes": "the function (parameters, **options) -> bytes kept from step to step",
}


@dataclass(frozen=True)
class Option:
    """One option of an optimiser."""

    type: type
    default: Any
    help: str


def made(found: Any, name: str) -> Any:
    """`minimize` as in this folder, a function with its arguments, or a torch optimiser class."""
    from nets.optimizers._user_optimizers import of

    short = name.partition("@")[0]
    if not isinstance(found, ModuleType):
        return of(found, name=short, declared=found)
    if not hasattr(found, "minimize"):
        raise UserError(
            f"{name} is not an optimiser: define minimize(objective, theta, report), or name a "
            f"function or class in the file: ./{short}.py:name (femnets new optimizer)"
        )
    absent = [part for part in DECLARATIONS if not hasattr(found, part)]
    if absent and name not in REGISTRY.files:
        return of(found.minimize, name=short, declared=found)
    if absent:
        raise UserError(
            f"optimiser {name!r} does not declare {absent[0]}: {DECLARATIONS[absent[0]]}"
        )
    if found.POSITIVE not in WAYS:
        raise UserError(f"POSITIVE of optimiser {name!r} is {found.POSITIVE!r}; known: {WAYS}")
    return found


REGISTRY: Registry[Any] = Registry(
    "optimiser", __name__, made, group="optimizers", stands_for={"auto": [*AUTO.values()]}
)
names = REGISTRY.names


def get(name: str | Callable[..., Any]) -> Any:
    """Return the optimiser called `name`; a function or a torch class is its own name."""
    if isinstance(name, str):
        return REGISTRY.get(name)
    from nets.optimizers._user_optimizers import of

    return of(name)


@cache
def options(module: ModuleType) -> dict[str, Option]:
    """Return the options of an optimiser with types, defaults and help, from its `minimize`."""
    if hasattr(module, "OPTIONS"):
        return dict(module.OPTIONS)
    hints = get_type_hints(module.minimize, include_extras=True)
    found = {}
    for name, default in (module.minimize.__kwdefaults__ or {}).items():
        if name in SET_BY_THE_TRAINING:
            continue
        hint = hints.get(name)
        if get_origin(hint) is not Annotated:
            raise UserError(
                f"option {name!r} of optimiser {_name(module)!r} has no help: write "
                f'{name}: Annotated[float, "what it does"] = {default!r}'
            )
        kind, text, *_ = get_args(hint)
        found[name] = Option(kind, default, text)
    return found


def check_options(module: ModuleType, given: Mapping[str, Any]) -> None:
    """Raise a UserError for options that the optimiser does not have."""
    known = list(options(module))
    for option in given:
        if option not in known:
            hint = nearest(option, known) if known else "it has none"
            raise UserError(f"optimiser {_name(module)!r} has no option {option!r}; {hint}")


def needs_residuals(optimizer: Any) -> bool:
    """Return whether an optimiser needs the residuals of a sum of squares one by one."""
    return getattr(get(optimizer), "NEEDS", "gradient") == "residuals"


def choose(optimizer: Any, parameters: int) -> Any:
    """Return the optimiser meant by "auto": self-scaled BFGS, dense or with limited memory."""
    if optimizer != "auto":
        return optimizer
    return AUTO["dense" if parameters <= DENSE_LIMIT else "limited"]


def state_bytes(optimizer: str, parameters: int, given: Mapping[str, Any] | None = None) -> int:
    """Return the bytes that an optimiser ("auto" too) keeps, with the `given` options."""
    module = get(choose(optimizer, parameters))
    defaults = {name: option.default for name, option in options(module).items()}
    return int(module.state_bytes(parameters, **{**defaults, **(given or {})}))


def _name(module: ModuleType) -> str:
    own = getattr(module, "NAME", None)
    return str(own) if own else module.__name__.rsplit(".", 1)[-1]


def __getattr__(name: str) -> Any:
    """Import the torch classes when they are first used: planning needs no torch. The import is
    written out, so that fingerprints of cells see it."""
    if name not in ("SSBFGS", "SSBroyden", "LM"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nets.optimizers import _torch_classes

    return getattr(_torch_classes, name)
