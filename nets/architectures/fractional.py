"""Fractional-DNN of order γ: the L1 scheme for the Caputo equation D^γ y = σ(W y + b) (maths 2).

y[ℓ] = P y[ℓ−1] − Σ_{j=0}^{ℓ−2} A[ℓ−1,j] (P y[j+1] − P y[j]) + τ[ℓ−1]^γ Γ(2−γ) a[ℓ−1].
"""

from math import gamma as Gamma

import torch
from torch import Tensor
from torch.nn.functional import pad

from nets.fractional.weights import memory_weights

POSITIVE_TAU = True


def coefficients(tau: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
    """C[ℓ,k] = A[ℓ−1,k] − A[ℓ−1,k−1] with A[ℓ−1,ℓ−1] = 1 and A[·,−1] = 0; s = τ^γ Γ(2−γ).

    The sum over increments, gathered by state: the formula of A gives 1 on the diagonal, which
    is the term P y[ℓ−1].
    """
    A = memory_weights(tau, gamma)
    C = pad(A + torch.eye(len(A), dtype=A.dtype), (0, 1, 1, 0)) - pad(A, (1, 0, 1, 0))
    return C, tau.double() ** gamma * Gamma(2.0 - gamma)
