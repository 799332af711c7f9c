"""Feedforward net: y[ℓ] = τ[ℓ−1] a[ℓ−1] (maths 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

TITLE = "feedforward"
PLACE = 1
POSITIVE_TAU = False
HAS_ORDER = False
# y[ℓ+1] = τ[ℓ] a[ℓ]: as τ[ℓ] → 0 the whole output vanishes, so a small τ marks a bottleneck.
DELETION = "it has no skips, so a layer with small tau silences all layers after it"


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C = 0, s = τ."""
    import torch

    layers = len(tau) + 1
    return torch.zeros(layers, layers, dtype=tau.dtype), tau
