"""The L1 schemes for the left and right Caputo derivatives on non-uniform grids.

Grid: t[0] = 0, t[l+1] = t[l] + tau[l]. The derivative of the piecewise linear interpolant of y
is, with S(j..l) = τ[j] + … + τ[l] (paper, Section 5.2),

    left,  at t[l+1]:   τ[l]^-γ / Γ(2-γ) · ( Δy[l] + Σ_{j<l} A[l,j] Δy[j] ),  Δy[j] = y[j+1] - y[j]
    right, at t[l]:    -τ[l]^-γ / Γ(2-γ) · ( Δy[l] + Σ_{j>l} B[j,l] Δy[j] )
    A[l,j] = τ[l]^γ / τ[j] · ( S(j..l)^{1-γ} - S(j+1..l)^{1-γ} ),   j < l
    B[j,l] = τ[l]^γ / τ[j] · ( S(l..j)^{1-γ} - S(l..j-1)^{1-γ} ),   j > l

The differences of powers cancel when τ[j] is small beside its neighbours (1e-3 relative in
float32 at τ = 1e-4). With r = S(j+1..l), q = τ[j]/r they are A[l,j] = (τ[l]/r)^γ h(q), where
h(q) = ((1+q)^{1-γ} - 1)/q = expm1((1-γ) log1p(q))/q keeps full precision for every q > 0.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from nets.errors import InputError

# Below this q the derivative of h is summed as a series: the closed form loses eps/q² of it.
SERIES_BELOW = 0.05
SERIES_TERMS = 14  # 0.05^14 = 6e-19


def check_gamma(gamma: float) -> float:
    """γ as a float in (0, 1)."""
    gamma = float(gamma)
    if not 0.0 < gamma < 1.0:
        raise InputError(f"gamma must lie in (0, 1), got {gamma:g}; gamma = 1 is the ResNet")
    return gamma


def check_steps(tau: Any) -> Tensor:
    """τ as a 1-D float64 tensor of positive, finite steps."""
    tau = torch.as_tensor(tau, dtype=torch.float64)
    if tau.ndim != 1 or tau.numel() == 0:
        raise InputError(f"tau must be a 1-D vector of steps, got shape {tuple(tau.shape)}")
    bad = ~(torch.isfinite(tau) & (tau > 0))
    if bool(bad.any()):
        layer = int(bad.nonzero()[0])
        raise InputError(
            f"tau[{layer}] = {float(tau[layer]):g}; the Caputo scheme divides by tau, "
            "so every step must be positive and finite"
        )
    return tau


class _Increment(torch.autograd.Function):
    """h(q) = ((1+q)^p - 1)/q, with a derivative that does not cancel for small q."""

    generate_vmap_rule = True

    @staticmethod
    def forward(q: Tensor, p: float) -> Tensor:
        return torch.expm1(p * torch.log1p(q)) / q

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, float], output: Tensor) -> None:
        q, ctx.p = inputs
        ctx.save_for_backward(q)
        ctx.save_for_forward(q)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (q,) = ctx.saved_tensors
        return grad * increment_slope(q, ctx.p), None

    @staticmethod
    def jvp(ctx: Any, q_dot: Tensor, _: None) -> Tensor:
        (q,) = ctx.saved_tensors
        return q_dot * increment_slope(q, ctx.p)


def increment(q: Tensor, p: float) -> Tensor:
    """h(q) = ((1+q)^p - 1)/q for q > 0, differentiable to full precision."""
    return _Increment.apply(q, p)


def increment_slope(q: Tensor, p: float) -> Tensor:
    """h'(q) = (p q (1+q)^{p-1} - (1+q)^p + 1)/q², near 0 by Σ_{k≥2} (k-1) binom(p,k) q^{k-2}."""
    large = torch.clamp(q, min=SERIES_BELOW)
    log = torch.log1p(large)
    closed = (p * large * torch.exp((p - 1) * log) - torch.expm1(p * log)) / large**2
    small = torch.clamp(q, max=SERIES_BELOW)
    series = torch.zeros_like(q)
    for k in range(SERIES_TERMS + 2, 1, -1):
        series = series * small + (k - 1) * _binomial(p, k)
    return torch.where(q < SERIES_BELOW, series, closed)


def _binomial(p: float, k: int) -> float:
    return math.prod((p - i) / (i + 1) for i in range(k))


def _spans(tau: Tensor) -> tuple[Tensor, Tensor]:
    """mask[l,j] = j < l, and r[l,j] = S(j+1..l) there, summed without differences; 1 elsewhere."""
    steps = tau.numel()
    mask = torch.ones(steps, steps, dtype=torch.bool, device=tau.device).tril(-1)
    up_to_l = tau.expand(steps, steps).tril()
    from_j = up_to_l.flip(1).cumsum(1).flip(1)
    r = torch.nn.functional.pad(from_j[:, 1:], (0, 1))
    return mask, torch.where(mask, r, torch.ones_like(r))


def memory_weights(tau: Tensor, gamma: float) -> Tensor:
    """A[l,j] of the left scheme, (L-1, L-1), zero on and above the diagonal; differentiable in τ.

    With equal steps A[l,j] = (l-j+1)^{1-γ} - (l-j)^{1-γ}, whatever τ is.
    """
    gamma, tau = check_gamma(gamma), check_steps(tau)
    mask, r = _spans(tau)
    weights = (tau[:, None] / r) ** gamma * increment(tau[None, :] / r, 1.0 - gamma)
    return torch.where(mask, weights, torch.zeros_like(weights))


def right_memory_weights(tau: Tensor, gamma: float) -> Tensor:
    """B[j,l] of the right scheme, zero on and above the diagonal: A of the grid run backwards."""
    backwards = memory_weights(torch.as_tensor(tau, dtype=torch.float64).flip(0), gamma)
    return backwards.flip(0, 1).T


def memory_weight_derivatives(tau: Tensor, gamma: float) -> Tensor:
    """dA[l,j,i] = ∂A[l,j]/∂τ[i], (L-1, L-1, L-1), by the three cases of the paper's appendix.

    In terms of h, with r = S(j+1..l), q = τ[j]/r and c = (τ[l]/r)^γ, none of them cancels:
        i = j:      c h'(q) / r
        j < i < l: -c (γ h(q) + q h'(q)) / r = -c (1-γ) (1 - (1+q)^{-γ}) / (q r)
        i = l:      c ( γ h(q) S(j+1..l-1) / τ[l] - q h'(q) ) / r
    """
    gamma, tau = check_gamma(gamma), check_steps(tau)
    mask, r = _spans(tau)
    q = tau[None, :] / r
    c_over_r = torch.where(mask, (tau[:, None] / r) ** gamma / r, torch.zeros_like(r))
    h, slope = increment(q, 1.0 - gamma), increment_slope(q, 1.0 - gamma)
    own = c_over_r * slope
    between = c_over_r * (1.0 - gamma) * torch.expm1(-gamma * torch.log1p(q)) / q
    inner = torch.nn.functional.pad(r[:-1], (0, 0, 1, 0)) * mask.tril(-2)
    last = c_over_r * (gamma * h * inner / tau[:, None] - q * slope)

    steps = tau.numel()
    l, j, i = torch.meshgrid(*[torch.arange(steps)] * 3, indexing="ij")
    derivative = between[:, :, None] * ((j < i) & (i < l))
    derivative = derivative + own[:, :, None] * ((i == j) & (j < l))
    return derivative + last[:, :, None] * ((i == l) & (j < l))


def left_caputo(y: Tensor, tau: Tensor, gamma: float) -> Tensor:
    """∂_t^γ y at t[1], …, t[n] from y at t[0], …, t[n] (first axis): the left L1 scheme."""
    gamma, tau, jumps = check_gamma(gamma), check_steps(tau), _jumps(y, tau)
    derivative = jumps + torch.tensordot(memory_weights(tau, gamma), jumps, dims=1)
    return _per_step(tau**-gamma, derivative) / math.gamma(2.0 - gamma)


def right_caputo(y: Tensor, tau: Tensor, gamma: float) -> Tensor:
    """∂_{T-t}^γ y at t[0], …, t[n-1] from y at t[0], …, t[n] (first axis): the right L1 scheme."""
    gamma, tau, jumps = check_gamma(gamma), check_steps(tau), _jumps(y, tau)
    derivative = jumps + torch.tensordot(right_memory_weights(tau, gamma).T, jumps, dims=1)
    return -_per_step(tau**-gamma, derivative) / math.gamma(2.0 - gamma)


def _jumps(y: Tensor, tau: Tensor) -> Tensor:
    y = torch.as_tensor(y, dtype=torch.float64)
    if y.ndim == 0 or len(y) != len(tau) + 1:
        raise InputError(
            f"y must hold one value per grid point: {len(tau)} steps need {len(tau) + 1} values, "
            f"got shape {tuple(y.shape)}"
        )
    return y.diff(dim=0)


def _per_step(factor: Tensor, values: Tensor) -> Tensor:
    return factor.reshape(-1, *[1] * (values.ndim - 1)) * values
