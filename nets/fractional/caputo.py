"""The L1 schemes for the left and right Caputo derivatives of order γ on non-uniform grids.

Grid: t[0] = 0, t[l+1] = t[l] + tau[l]. The derivative of the piecewise linear interpolant of y
is, with S(j..l) = τ[j] + … + τ[l] (paper, Section 5.2),

    left,  at t[l+1]:   τ[l]^-γ / Γ(2-γ) · ( Δy[l] + Σ_{j<l} A[l,j] Δy[j] ),  Δy[j] = y[j+1] - y[j]
    right, at t[l]:    -τ[l]^-γ / Γ(2-γ) · ( Δy[l] + Σ_{j>l} B[j,l] Δy[j] )
    A[l,j] = τ[l]^γ / τ[j] · ( S(j..l)^{1-γ} - S(j+1..l)^{1-γ} ),   j < l
    B[j,l] = τ[l]^γ / τ[j] · ( S(l..j)^{1-γ} - S(l..j-1)^{1-γ} ),   j > l

The differences of powers cancel when τ[j] is small compared with its neighbours (1e-3 relative in
float32 at τ = 1e-4). With r = S(j+1..l), q = τ[j]/r they are A[l,j] = (τ[l]/r)^γ h(q), where
h(q) = ((1+q)^{1-γ} - 1)/q = expm1((1-γ) log1p(q))/q keeps full precision for every q > 0:
A is in `nets.fractional.weights`, because the Fractional-DNN needs it;
the rest of the scheme is here.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from nets.fractional.weights import check_order, check_steps, memory_weights, relative_growth

# Below this q the derivative of h is summed as a series: the closed form loses eps/q² of it.
SERIES_BELOW = 0.05
SERIES_TERMS = 14  # 0.05^14 = 6e-19


def growth_slope(q: Tensor, p: float) -> Tensor:
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
    tau = _checked(tau, gamma)
    mask, r = _spans(tau)
    q = tau[None, :] / r
    c_over_r = torch.where(mask, (tau[:, None] / r) ** gamma / r, torch.zeros_like(r))
    h, slope = relative_growth(q, 1.0 - gamma), growth_slope(q, 1.0 - gamma)
    own = c_over_r * slope
    between = c_over_r * (1.0 - gamma) * torch.expm1(-gamma * torch.log1p(q)) / q
    inner = torch.nn.functional.pad(r[:-1], (0, 0, 1, 0)) * mask.tril(-2)
    last = c_over_r * (gamma * h * inner / tau[:, None] - q * slope)

    steps = tau.numel()
    layer = torch.arange(steps)
    inside = (layer[None, :, None] < layer) & (layer < layer[:, None, None])  # j < i < l
    derivative = between[:, :, None] * inside
    derivative.diagonal(dim1=1, dim2=2).add_(own)  # i = j
    derivative.diagonal(dim1=0, dim2=2).add_(last.T)  # i = l
    return derivative


def _checked(tau: Tensor, gamma: float) -> Tensor:
    """τ as positive float64 steps, γ in (0, 1)."""
    tau = torch.as_tensor(tau, dtype=torch.float64)
    check_order(gamma)
    check_steps(tau)
    return tau
