"""The architectures: one file each, found by its name. A file says everything about its net.

- `TITLE`: what text and legends call it, and `PLACE`, a number: where it stands among the others in
  tables and figures (the paper's go from 1, no skip, to 4, all states with weights);
- `POSITIVE_TAU`: whether every τ[ℓ] must be positive (then ReZero, which starts from 0, is out);
- `HAS_ORDER`: whether `gamma`, the order of the time derivative, has a part in it;
- `DELETION`: how a layer is deleted (a `Deletion`), or in a few words why it cannot be;
- `coefficients(tau, gamma) -> (C, s)`: float64, differentiable in `tau` (H,), with C (H+1, H+1)
  strictly lower triangular and s (H,),

and means the net   y[ℓ] = Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] + s[ℓ−1] σ(W[ℓ−1] y[ℓ−1] + b[ℓ−1]),  ℓ = 1..H.

The loop, the projections, the read-out, every gradient and the predictions of the theory follow
from C and s, written once for all. Files import torch inside `coefficients`, so that planning and
reports can read the rest without it.

A net that is no such recursion defines `make(inputs, outputs, hidden, width)` in the place of
`coefficients`: any torch module (`nets.own`). It trains and is measured like the others; it has no
τ, no adjoint and no theory. `add` gives a net from outside this folder a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol, cast

from nets.errors import InputError, unknown

if TYPE_CHECKING:
    from torch import Tensor

TAU_POLICIES = ("fixed", "global", "learned", "rezero")
DECLARATIONS = {
    "TITLE": "what text and legends call the net, a text",
    "PLACE": "where it stands in tables and figures, a number",
    "POSITIVE_TAU": "whether every tau must be positive, True or False",
    "HAS_ORDER": "whether gamma has a part in it, True or False",
    "DELETION": "a nets.architectures.Deletion, or a text that says why no layer can be deleted",
    "coefficients": "the function (tau, gamma) -> (C, s)",
}


@dataclass(frozen=True)
class Deletion:
    """What is left of τ when only the layers `kept` stay: `steps(tau, kept)`.

    `refused` says, by τ policy, why layers of such a net cannot be deleted all the same.
    """

    steps: Callable[[Tensor, list[int]], Tensor]
    refused: Mapping[str, str] = field(default_factory=dict)


class Architecture(Protocol):
    """What a file of this folder offers."""

    TITLE: str
    PLACE: float
    POSITIVE_TAU: bool
    HAS_ORDER: bool
    DELETION: Deletion | str

    def coefficients(self, tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]: ...


LAST_PLACE = 90.0  # of nets that do not say where they stand


@dataclass(eq=False)
class OwnArchitecture:
    """A torch module class, or a function that makes one, as an architecture."""

    TITLE: str
    make: Callable[..., Any]
    PLACE: float = LAST_PLACE
    POSITIVE_TAU: bool = False
    HAS_ORDER: bool = False
    DELETION: str = "it is a torch module of somebody's own"

    @classmethod
    def of(cls, found: Any, title: str) -> OwnArchitecture:
        if not callable(found):
            raise InputError(f"net {title!r} is neither a torch module class nor makes one")
        place = float(getattr(found, "PLACE", LAST_PLACE))
        return cls(str(getattr(found, "TITLE", title)), found, place)


_outside: dict[str, Callable[[], Any]] = {}


def add(name: str, load: Callable[[], Any]) -> None:
    """A net from outside this folder; `load` gives what a file of it would define."""
    _outside[name] = load


def remove(name: str) -> None:
    """Forgets a net from outside."""
    _outside.pop(name, None)


def names() -> list[str]:
    """The architectures that exist, by file name; of those from outside, the installed ones."""
    return sorted({*_files(), *(name for name in _outside if "@" not in name)})


@cache
def _files() -> list[str]:
    return [m.name for m in iter_modules(__path__) if not m.name.startswith("_")]


def get(name: str) -> Architecture:
    """The architecture of that name, complete."""
    if name in _outside:
        return _complete(name, _outside[name]())
    if name not in _files():
        raise InputError(f"unknown architecture {name!r}; {unknown(name, names())}")
    return _complete(name, import_module(f"{__name__}.{name}"))


def tau_policies(name: str) -> tuple[str, ...]:
    """The τ policies that an architecture admits: ReZero starts from τ = 0."""
    positive = get(name).POSITIVE_TAU
    return tuple(policy for policy in TAU_POLICIES if not (positive and policy == "rezero"))


def _complete(name: str, module: Any) -> Architecture:
    for declaration, meaning in DECLARATIONS.items():
        if declaration == "coefficients" and hasattr(module, "make"):
            continue
        if not hasattr(module, declaration):
            raise InputError(f"architecture {name!r} does not declare {declaration}: {meaning}")
    return cast(Architecture, module)
