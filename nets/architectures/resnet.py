"""ResNet: y[ℓ] = P y[ℓ−1] + τ[ℓ−1] a[ℓ−1] (maths 2), explicit Euler for y' = σ(W y + b)."""

import torch
from torch import Tensor

POSITIVE_TAU = False


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C[ℓ,ℓ−1] = 1, s = τ."""
    return torch.diag(torch.ones(len(tau), dtype=tau.dtype), -1), tau
