"""The architectures: one file each, found by its name.

An architecture is a module with

- `POSITIVE_TAU: bool`, whether every τ[ℓ] must be positive, and
- `coefficients(tau, gamma) -> (C, s)`: float64, differentiable in `tau` (H,), with C (H+1, H+1)
  strictly lower triangular and s (H,),

and means the net   y[ℓ] = Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] + s[ℓ−1] σ(W[ℓ−1] y[ℓ−1] + b[ℓ−1]),  ℓ = 1..H.

The loop, the projections, the read-out and every gradient are written once for all of them.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from torch import Tensor

from nets.errors import InputError, nearest


class Architecture(Protocol):
    """What a file of this folder offers."""

    POSITIVE_TAU: bool

    def coefficients(self, tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]: ...


def names() -> list[str]:
    """The architectures that exist, by file name."""
    return sorted(module.name for module in iter_modules(__path__))


def get(name: str) -> Architecture:
    """The architecture of that name."""
    if name not in names():
        raise InputError(f"unknown architecture {name!r}; {nearest(name, names())}")
    return cast(Architecture, import_module(f"{__name__}.{name}"))
