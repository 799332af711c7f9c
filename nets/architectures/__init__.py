"""The architectures: one file each, found by its name. A file declares:

- `TITLE`: its name in text and legends, and `PLACE`: a number that orders the nets in
  tables and figures (the paper's go from 1, no skips, to 4, weighted skips from all states);
- `POSITIVE_TAU`: whether every τ[ℓ] must be positive (this excludes ReZero, which starts from 0);
- `HAS_ORDER`: whether it uses `gamma`, the order of the time derivative;
- `DELETION`: how a layer is deleted (a `Deletion`), or in a few words why it cannot be;
- `coefficients(tau, gamma) -> (C, s)`: float64, differentiable in `tau` (H,), with C (H+1, H+1)
  strictly lower triangular and s (H,),

and means the net   y[ℓ] = Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] + s[ℓ−1] σ(W[ℓ−1] y[ℓ−1] + b[ℓ−1]),  ℓ = 1..H.

The loop, the projections, the read-out, every gradient and the predictions of the theory follow
from C and s, written once for all. Files import torch inside `coefficients`, so that planning and
reports can read the rest without it.

A net of another form defines `make(inputs, outputs, hidden, width)` instead of
`coefficients`: any torch module (`nets.user_modules`). It trains and is measured like the others,
but has no τ, no adjoint and no theory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, cast

from base.errors import UserError
from base.registry import Registry

if TYPE_CHECKING:
    from torch import Tensor

TAU_POLICIES = ("fixed", "global", "learned", "rezero")
DECLARATIONS = {
    "TITLE": "the name of the net in text and legends, a string",
    "PLACE": "a number that orders the nets in tables and figures",
    "POSITIVE_TAU": "whether every tau must be positive, True or False",
    "HAS_ORDER": "whether the net uses gamma, True or False",
    "DELETION": "a nets.architectures.Deletion, or a string that says why no layer can be deleted",
    "coefficients": "the function (tau, gamma) -> (C, s)",
}


@dataclass(frozen=True)
class Deletion:
    """How layers are deleted: `steps(tau, kept)` is τ when only the layers `kept` stay.

    `refused` maps a τ policy to the reason why layers of such a net cannot be deleted.
    """

    steps: Callable[[Tensor, list[int]], Tensor]
    refused: Mapping[str, str] = field(default_factory=dict)


class Architecture(Protocol):
    """The names that a file of this folder defines."""

    TITLE: str
    PLACE: float
    POSITIVE_TAU: bool
    HAS_ORDER: bool
    DELETION: Deletion | str

    def coefficients(self, tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]: ...


LAST_PLACE = 90.0  # for nets that declare no PLACE


@dataclass(eq=False)
class OwnArchitecture:
    """A torch module class, or a function that makes one, as an architecture."""

    TITLE: str
    make: Callable[..., Any]
    PLACE: float = LAST_PLACE
    POSITIVE_TAU: bool = False
    HAS_ORDER: bool = False
    DELETION: str = "its layers are unknown, because it is a user's torch module"

    @classmethod
    def of(cls, found: Any, title: str) -> OwnArchitecture:
        if not callable(found):
            raise UserError(
                f"net {title!r} is neither a torch module class nor a function that makes one"
            )
        place = float(getattr(found, "PLACE", LAST_PLACE))
        return cls(str(getattr(found, "TITLE", title)), found, place)


def _made(found: Any, name: str) -> Architecture:
    """Coefficients as in this folder, any torch module, or a function that makes one."""
    if not isinstance(found, ModuleType) and not hasattr(found, "coefficients"):
        return cast(Architecture, OwnArchitecture.of(found, title=name.partition("@")[0]))
    if not hasattr(found, "coefficients") and not hasattr(found, "make"):
        raise UserError(
            f"{name} is not a net: define coefficients(tau, gamma), or name a torch module in the "
            f"file, such as ./{name.partition('@')[0]}.py:Net (femnets new net)"
        )
    for declaration, meaning in DECLARATIONS.items():
        if declaration == "coefficients" and hasattr(found, "make"):
            continue
        if not hasattr(found, declaration):
            raise UserError(f"architecture {name!r} does not declare {declaration}: {meaning}")
    return cast(Architecture, found)


REGISTRY: Registry[Architecture] = Registry("architecture", __name__, _made, group="architectures")
get, names = REGISTRY.get, REGISTRY.names


def tau_policies(name: str) -> tuple[str, ...]:
    """The τ policies that an architecture admits: ReZero starts from τ = 0."""
    positive = get(name).POSITIVE_TAU
    return tuple(policy for policy in TAU_POLICIES if not (positive and policy == "rezero"))
