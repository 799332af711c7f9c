"""Norms of the gradients, layer by layer: where they vanish and where they explode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from nets.gradients.passes import gradients, trajectory
from nets.module import Network

Array = NDArray[np.float64]


def log10_norms(net: Network, x: Any, y: Any) -> dict[str, Array]:
    """log₁₀ of the norms of `grad_norms`: finite at any size, -inf for an exact zero."""
    if len(x) != len(y) or not len(x):
        raise UserError(f"x and y need the same number of rows >= 1, got {len(x)} and {len(y)}")
    found = gradients(trajectory(net, x), y)
    kinds = {"W": found.W, "b": found.b, "tau": found.tau, "y": found.phi}
    return {kind: np.array([part.log10_norm() for part in kinds[kind]]) for kind in kinds}


def grad_norms(net: Network, x: Any, y: Any) -> dict[str, Array]:
    """Per layer k: ‖∂J/∂W[k]‖, ‖∂J/∂b[k]‖, |∂J/∂τ[k]|, ‖∂J/∂y[k]‖ under "W", "b", "tau", "y".

    J = 1/(2N) Σ‖y[L] - S‖². Frobenius norms over the whole batch, with the 1/N of the loss
    included; "y" starts at the input, y[0], so that entry k belongs to layer k. Computed in
    float64; a norm beyond 1e308 is inf here and exact in `log10_norms`.
    """
    return {kind: power_of_ten(logs) for kind, logs in log10_norms(net, x, y).items()}


def power_of_ten(logs: Array) -> Array:
    """10^logs, inf beyond float64."""
    with np.errstate(over="ignore"):
        return np.asarray(10.0**logs)
