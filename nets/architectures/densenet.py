"""DenseNet: y[ℓ] = Σ_{i<ℓ} P(i→ℓ) y[i] + τ[ℓ−1] a[ℓ−1] (maths 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

TITLE = "DenseNet"
PLACE = 3
POSITIVE_TAU = False
HAS_ORDER = False
DELETION = (
    "every later state includes the deleted one, so even at tau = 0 the smaller net is another "
    "function"
)


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C[ℓ,k] = 1 for every k < ℓ, s = τ."""
    import torch

    layers = len(tau) + 1
    return torch.ones(layers, layers, dtype=tau.dtype).tril(-1), tau
