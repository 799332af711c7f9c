"""Fractional initial value problems ∂_t^γ y = f(t, y), y(0) = y0, by the L1 schemes.

The explicit step is the Fractional-DNN's own (paper, Section 5.2):

    y[l+1] = y[l] - Σ_{j<l} A[l,j] (y[j+1] - y[j]) + τ[l]^γ Γ(2-γ) f(t[l], y[l])

and the implicit one has f(t[l+1], y[l+1]) instead, which keeps the order 2-γ of the scheme.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from base.errors import UserError
from nets.fractional.weights import memory_weights

RightHandSide = Callable[[float, Tensor], Tensor]
FIXED_POINT_STEPS = 200
FIXED_POINT_TOLERANCE = 1e-14


def solve_fractional_ode(
    f: RightHandSide, y0: Any, tau: Tensor, gamma: float, *, implicit: bool = False
) -> Tensor:
    """y at t[0] = 0, …, t[n] = Σ τ, stacked along a new first axis.

    The implicit step is solved by fixed-point iteration, which contracts when
    τ[l]^γ Γ(2-γ) times the Lipschitz constant of f is below one.
    """
    tau = torch.as_tensor(tau, dtype=torch.float64)
    start = torch.as_tensor(y0, dtype=torch.float64)
    weights, scale = memory_weights(tau, gamma), tau**gamma * math.gamma(2.0 - gamma)
    times = [0.0, *tau.cumsum(0).tolist()]
    y = torch.empty(len(tau) + 1, *start.shape, dtype=torch.float64)
    y[0] = start
    for l in range(len(tau)):
        past = y[l] - torch.tensordot(weights[l, :l], y[1 : l + 1] - y[:l], dims=1)
        if implicit:
            y[l + 1] = _fixed_point(f, times[l + 1], past, scale[l], y[l])
        else:
            y[l + 1] = past + scale[l] * f(times[l], y[l])
    return y


def _fixed_point(f: RightHandSide, t: float, past: Tensor, scale: Tensor, guess: Tensor) -> Tensor:
    y = guess
    for _ in range(FIXED_POINT_STEPS):
        update = past + scale * f(t, y)
        change, size = (update - y).abs().max(), update.abs().max()
        y = update
        if change <= FIXED_POINT_TOLERANCE * (1.0 + size):
            return y
    raise UserError(
        f"the implicit step to t = {t:g} did not converge; take smaller steps "
        "(tau^gamma Gamma(2-gamma) times the Lipschitz constant of f must be below 1)"
    )
