"""Norms of the gradients, layer by layer: where they vanish and where they explode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from nets.gradients.extended import Magnitude
from nets.gradients.passes import gradients, trajectory
from nets.module import Network

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LayerNorms:
    """Magnitudes of ∂J/∂W[k], ∂J/∂b[k], ∂J/∂τ[k], ∂J/∂y[k]; J is the mean square error."""

    W: tuple[Magnitude, ...]  # k = 0..L-1
    b: tuple[Magnitude, ...]  # k = 0..L-2
    tau: tuple[Magnitude, ...]  # k = 0..L-2
    y: tuple[Magnitude, ...]  # k = 0..L; y[0] is the input

    def values(self) -> dict[str, Array]:
        """Return the norms as float64: inf where a norm exceeds it."""
        return {name: np.array([m.value for m in getattr(self, name)]) for name in KINDS}

    def log10(self) -> dict[str, Array]:
        """Return log₁₀ of the norms: finite, except -inf for an exact zero."""
        return {name: np.array([m.log10 for m in getattr(self, name)]) for name in KINDS}


KINDS = ("W", "b", "tau", "y")


def layer_norms(net: Network, x: Any, y: Any) -> LayerNorms:
    """Norms of the gradients of 1/(2N) Σ‖y[L] - S‖², in numbers that cannot overflow."""
    if len(x) != len(y) or not len(x):
        raise UserError(f"x and y need the same number of rows >= 1, got {len(x)} and {len(y)}")
    grads = gradients(trajectory(net, x), y)
    kinds = (grads.W, grads.b, grads.tau, grads.phi)
    return LayerNorms(*(tuple(part.norm() for part in kind) for kind in kinds))


def grad_norms(net: Network, x: Any, y: Any) -> dict[str, Array]:
    """Per layer k: ‖∂J/∂W[k]‖, ‖∂J/∂b[k]‖, |∂J/∂τ[k]|, ‖∂J/∂y[k]‖ under "W", "b", "tau", "y".

    Frobenius norms over the whole batch, with the 1/N of the loss included; "y" starts at the
    input, y[0], so that entry k belongs to layer k. Computed in float64; a norm beyond 1e308 is
    inf here and exact in `layer_norms(...).log10()`.
    """
    return layer_norms(net, x, y).values()
