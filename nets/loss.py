"""The loss J (maths 3), each term with its gradient by hand."""

from dataclasses import dataclass
from math import isfinite

import torch
from torch import Tensor

from base.errors import UserError


@dataclass(frozen=True)
class Loss:
    """J = 1/(2N) Σ‖y[L] − S‖² + (λ₁/2) Σ(‖W‖² + ‖W‖₁ + ‖b‖² + ‖b‖₁) + (λ₂/2) Σ(τ² + |τ|)
    + (β/2) Σ_ℓ Σ_j max(0, b_j − b_{j+1})².

    The last term is the Moreau–Yosida penalty for ascending biases (bias ordering; the paper
    takes β = 10). All norms entrywise. |·|′(0) = 0.
    """

    lambda1: float = 0.0
    lambda2: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        for name in ("lambda1", "lambda2", "beta"):
            value = getattr(self, name)
            if not (value >= 0 and isfinite(value)):
                raise UserError(f"{name} must be a finite number >= 0, got {value}")

    def mse(self, prediction: Tensor, target: Tensor) -> Tensor:
        """1/(2N) Σ‖y[L] − S‖²."""
        return (prediction - target).square().sum() / (2 * len(target))

    def mse_gradient(self, prediction: Tensor, target: Tensor) -> Tensor:
        """φ[L] = (y[L] − S)/N."""
        return (prediction - target) / len(target)

    def penalty(self, W: list[Tensor], b: list[Tensor], tau: Tensor) -> Tensor:
        """J without its first term."""
        total = self.lambda2 / 2 * _l2_and_l1(tau)
        if self.lambda1:
            total = total + self.lambda1 / 2 * torch.stack([_l2_and_l1(p) for p in [*W, *b]]).sum()
        if self.beta:
            excess = [torch.relu(bias[:-1] - bias[1:]).square().sum() for bias in b]
            total = total + self.beta / 2 * torch.stack(excess).sum()
        return total

    def weight_gradient(self, W: Tensor) -> Tensor:
        """d penalty / dW = λ₁ (W + sign(W)/2)."""
        return self.lambda1 * _l2_and_l1_gradient(W)

    def bias_gradient(self, b: Tensor) -> Tensor:
        """d penalty / db = λ₁ (b + sign(b)/2) + β (e − shifted e), e_j = max(0, b_j − b_{j+1})."""
        gradient = self.lambda1 * _l2_and_l1_gradient(b)
        excess = self.beta * torch.relu(b[:-1] - b[1:])
        gradient[:-1] += excess
        gradient[1:] -= excess
        return gradient

    def tau_gradient(self, tau: Tensor) -> Tensor:
        """d penalty / dτ = λ₂ (τ + sign(τ)/2)."""
        return self.lambda2 * _l2_and_l1_gradient(tau)


def _l2_and_l1(p: Tensor) -> Tensor:
    return p.square().sum() + p.abs().sum()


def _l2_and_l1_gradient(p: Tensor) -> Tensor:
    return p + 0.5 * p.sign()
