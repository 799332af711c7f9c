"""Feedforward net: y[ℓ] = τ[ℓ−1] a[ℓ−1] (maths 2)."""

import torch
from torch import Tensor

POSITIVE_TAU = False


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C = 0, s = τ."""
    layers = len(tau) + 1
    return torch.zeros(layers, layers, dtype=tau.dtype), tau
