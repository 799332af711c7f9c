"""What is left of a gradient where activations contribute nothing: the identity path (maths 9.1).

With D = 0 the ResNet's path is the identity, and neither grows nor decays. The Fractional-DNN's is

    G[1] = 1,   G[i] = Σ_{k=1}^{i-2} (A[i-1,k] - A[i-1,k-1]) G[k] + (1 - A[i-1,i-2]) G[i-1],

and decays algebraically. For equal steps Σ_j α_{i-1-j} Δ_j = 0 for i ≥ 2, where Δ_0 = 1,
Δ_j = G[j+1] - G[j] and α_m = (m+1)^{1-γ} - m^{1-γ}: generating functions satisfy Δ(z) α(z) = 1. As
α(z) = (1-z) Li_{γ-1}(z)/z ~ Γ(2-γ) (1-z)^{γ-1} as z → 1, G(z) ~ (1-z)^{-γ} / Γ(2-γ), and

    G[H] ~ H^{-(1-γ)} / (Γ(γ) Γ(2-γ))   as H → ∞.

Memory does not keep a gradient alive: it lets it fade like a power instead of exponentially.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from nets.theory.recursions import fractional_steps

Array = NDArray[np.float64]


def identity_path(hidden: int, gamma: float) -> Array:
    """dy[i]/dy[1] of a Fractional-DNN of equal steps with D = 0, for i = 1..H."""
    skips = fractional_steps(torch.ones(hidden, dtype=torch.float64), gamma)[0].numpy()
    G = np.zeros(hidden + 1)
    G[1] = 1.0
    for i in range(2, hidden + 1):
        G[i] = skips[i, 1:i] @ G[1:i]
    return G[1:]


def identity_path_limit(hidden: int, gamma: float) -> float:
    """H^{-(1-γ)} / (Γ(γ) Γ(2-γ))."""
    return hidden ** (gamma - 1.0) / (math.gamma(gamma) * math.gamma(2.0 - gamma))


def decay_exponent(hidden: int, gamma: float) -> float:
    """The slope of log G[H] against log H between H/2 and H: on its way to -(1-γ)."""
    path = identity_path(hidden, gamma)
    return math.log(path[-1] / path[hidden // 2 - 1]) / math.log(hidden / (hidden // 2))
