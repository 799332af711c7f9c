"""The memory weights of the L1 schemes for Caputo derivatives of order γ on non-uniform grids.

Grid: t[0] = 0, t[l+1] = t[l] + τ[l]. The derivative of the piecewise linear interpolant of y is,
with Δy[j] = y[j+1] - y[j] (paper, Section 5.2),

    left,  at t[l+1]:   τ[l]^-γ / Γ(2-γ) · ( Δy[l] + Σ_{j<l} A[l,j] Δy[j] )
    right, at t[l]:    -τ[l]^-γ / Γ(2-γ) · ( Δy[l] + Σ_{j>l} B[j,l] Δy[j] )

The Fractional-DNN has A, its optimise-then-discretise adjoint B.
"""

import torch
from torch import Tensor

from base.errors import UserError

# Below this ratio the binomial series replaces the closed form: 0.1^17 is beneath float64, and
# above it the closed form loses at most one digit in its derivative.
_SMALL = 0.1
_TERMS = 17


def memory_weights(tau: Tensor, gamma: float) -> Tensor:
    """A[ℓ,j] = (τ[ℓ]^γ/τ[j]) ((τ[j]+…+τ[ℓ])^{1−γ} − (τ[j+1]+…+τ[ℓ])^{1−γ}), j < ℓ (maths 2).

    (H, H) in float64, zero on and above the diagonal, differentiable in `tau`. With
    R = τ[j+1]+…+τ[ℓ] it is (τ[ℓ]/R)^γ g(τ[j]/R), g(r) = ((1+r)^{1−γ} − 1)/r: only ratios of
    steps matter, and nothing cancels, neither in A nor in its derivative.
    """
    tau = torch.as_tensor(tau)
    check_order(gamma)
    check_steps(tau)
    tau = tau.double()
    past = torch.ones(len(tau), len(tau), dtype=torch.bool).tril(-1)
    # A masked cumulative sum: differences of cumsum(tau) would cancel after a long step.
    elapsed = torch.where(past, tau[:, None], 0.0).cumsum(0)
    elapsed = torch.where(past, elapsed, 1.0)
    A = (tau[:, None] / elapsed) ** gamma * relative_growth(tau / elapsed, 1.0 - gamma)
    return torch.where(past, A, 0.0)


def right_memory_weights(tau: Tensor, gamma: float) -> Tensor:
    """B[j,ℓ] of the right scheme, zero on and above the diagonal: A of the grid run backwards."""
    return memory_weights(torch.as_tensor(tau).flip(0), gamma).flip(0, 1).T


def relative_growth(r: Tensor, power: float) -> Tensor:
    """g(r) = ((1+r)^p − 1)/r for r > 0, with g and g' to rounding however small r is.

    Closed form by expm1 and log1p; for small r the series Σ_n binom(p, n+1) r^n, because the
    derivative of the closed form subtracts two terms of size 1/r.
    """
    small = r < _SMALL
    if not bool(small.any()):  # the usual case, at half the cost
        return torch.expm1(power * torch.log1p(r)) / r
    binomials = [power]
    for n in range(1, _TERMS):
        binomials.append(binomials[-1] * (power - n) / (n + 1))
    powers = torch.where(small, r, 0.0)[..., None] ** torch.arange(_TERMS)
    series = powers @ torch.tensor(binomials, dtype=r.dtype)
    large = torch.where(small, 1.0, r)
    return torch.where(small, series, torch.expm1(power * torch.log1p(large)) / large)


def check_order(gamma: float) -> None:
    """Raise a UserError unless the order of a Caputo derivative lies strictly in (0, 1)."""
    if not 0.0 < gamma < 1.0:
        raise UserError(f"gamma must lie in (0, 1), got {gamma}; gamma = 1 is the ResNet")


def check_steps(tau: Tensor) -> None:
    """Raise a UserError unless all steps are positive and finite: the net divides by τ[j]."""
    if tau.ndim != 1:
        raise UserError(f"tau must be one-dimensional, got shape {tuple(tau.shape)}")
    bad = torch.nonzero(~((tau > 0) & torch.isfinite(tau)))
    if len(bad):
        l = int(bad[0])
        raise UserError(
            f"tau must be positive and finite for the Fractional-DNN, got tau[{l}] = "
            f"{float(tau[l]):g}; start from a positive tau0 or use net='resnet'"
        )
