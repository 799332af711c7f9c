"""DenseNet: y[ℓ] = Σ_{i<ℓ} P(i→ℓ) y[i] + τ[ℓ−1] a[ℓ−1] (maths 2)."""

import torch
from torch import Tensor

POSITIVE_TAU = False


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C[ℓ,k] = 1 for every k < ℓ, s = τ."""
    layers = len(tau) + 1
    return torch.ones(layers, layers, dtype=tau.dtype).tril(-1), tau
