"""ResNet: y[ℓ] = P y[ℓ−1] + τ[ℓ−1] a[ℓ−1] (maths 2), explicit Euler for y' = σ(W y + b)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nets.architectures import Deletion

if TYPE_CHECKING:
    from torch import Tensor

TITLE = "ResNet"
PLACE = 2
POSITIVE_TAU = False
HAS_ORDER = False
# y[ℓ+1] = y[ℓ] + τ[ℓ] a[ℓ] becomes y[ℓ+1] = y[ℓ]: τ[ℓ] goes with W[ℓ] and b[ℓ].
DELETION = Deletion(steps=lambda tau, kept: tau[kept])


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C[ℓ,ℓ−1] = 1, s = τ."""
    import torch

    return torch.diag(torch.ones(len(tau), dtype=tau.dtype), -1), tau
