"""Fractional initial value problems ∂_t^γ y = f(t, y), y(0) = y0, by the explicit L1 scheme.

Its step is the Fractional-DNN's own (paper, Section 5.2):

    y[l+1] = y[l] - Σ_{j<l} A[l,j] (y[j+1] - y[j]) + τ[l]^γ Γ(2-γ) f(t[l], y[l]).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from nets.fractional.weights import memory_weights

RightHandSide = Callable[[float, Tensor], Tensor]


def solve_fractional_ode(f: RightHandSide, y0: Any, tau: Tensor, gamma: float) -> Tensor:
    """y at t[0] = 0, …, t[n] = Σ τ, stacked along a new first axis."""
    tau = torch.as_tensor(tau, dtype=torch.float64)
    start = torch.as_tensor(y0, dtype=torch.float64)
    weights, scale = memory_weights(tau, gamma), tau**gamma * math.gamma(2.0 - gamma)
    times = [0.0, *tau.cumsum(0).tolist()]
    y = torch.empty(len(tau) + 1, *start.shape, dtype=torch.float64)
    y[0] = start
    for l in range(len(tau)):
        past = y[l] - torch.tensordot(weights[l, :l], y[1 : l + 1] - y[:l], dims=1)
        y[l + 1] = past + scale[l] * f(times[l], y[l])
    return y
