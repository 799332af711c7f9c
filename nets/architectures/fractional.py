"""The step of the Fractional-DNN of order γ: the L1 scheme for D^γ y = σ(W y + b) (maths 2).

With the activation a[ℓ−1] = σ(W[ℓ−1] y[ℓ−1] + b[ℓ−1]), one step from layer ℓ−1 to layer ℓ is

    y[ℓ] = P y[ℓ−1] − Σ_{j=0}^{ℓ−2} A[ℓ−1,j] (P y[j+1] − P y[j]) + τ[ℓ−1]^γ Γ(2−γ) a[ℓ−1].

D^γ is the Caputo derivative, A the memory weights of `nets/fractional/weights.py`; `coefficients`
below is this formula, gathered by state.
"""

from __future__ import annotations

from math import gamma as Gamma
from typing import TYPE_CHECKING

from nets.architectures import Deletion

if TYPE_CHECKING:
    from torch import Tensor

TITLE = "Fractional-DNN"
PLACE = 4
POSITIVE_TAU = True
HAS_ORDER = True


def merged_steps(tau: Tensor, kept: list[int]) -> Tensor:
    """Each kept layer takes over the steps that are deleted before it.

    The states are nodes of a time grid with steps τ, and the L1 scheme joins them linearly.
    Deleting y[ℓ+1] deletes a node, and the two steps that met there become one of length
    τ[ℓ] + τ[ℓ+1], taken with the later layer's W and b (they act on y[ℓ+1] ≈ y[ℓ]); after the last
    layer no step follows, and time ends earlier. As τ[ℓ] → 0 the change is O(τ[ℓ]^γ): both
    the layer's own term and A[ℓ,·] carry the factor τ[ℓ]^γ.
    """
    ends = tau.cumsum(0)[kept]
    return ends.diff(prepend=ends.new_zeros(1))


DELETION = Deletion(
    steps=merged_steps,
    refused={
        "global": "deletion merges two time steps, but tau='global' has one for all; train with "
        "tau='learned'"
    },
)


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C[ℓ,k] = A[ℓ−1,k] − A[ℓ−1,k−1] with A[ℓ−1,ℓ−1] = 1 and A[·,−1] = 0; s = τ^γ Γ(2−γ).

    The sum over increments, gathered by state: the formula of A gives 1 on the diagonal, which
    is the term P y[ℓ−1].
    """
    import torch
    from torch.nn.functional import pad

    from nets.fractional.weights import memory_weights

    A = memory_weights(tau, gamma)
    C = pad(A + torch.eye(len(A), dtype=A.dtype), (0, 1, 1, 0)) - pad(A, (1, 0, 1, 0))
    return C, tau.double() ** gamma * Gamma(2.0 - gamma)
