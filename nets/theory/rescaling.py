"""When τ is nothing but a rescaling of weights (maths 9.3).

An exact rectifier is homogeneous, τ σ(z) = σ(τ z) for τ > 0. A net whose skips do not depend on τ
(feedforward net, ResNet, DenseNet) with steps τ > 0 is therefore the same function as the one with
steps 1 and weights τ[ℓ] W[ℓ], τ[ℓ] b[ℓ]: τ adds no function and no minimum, it can change only the
path that an optimiser takes. smoothReLU is homogeneous up to its η, which is rescaled too.

The memory weights of the Fractional-DNN see ratios of steps only. With equal steps τ it is a
rescaling there as well, by τ^γ. With unequal steps it is not: with W = 0 beyond the first layer the
Jacobian dy[2]/dy[1] = 1 − A[1,0] moves with τ[1]/τ[0], and no factor on weights that vanish does.
"""

from __future__ import annotations

from typing import Any

import torch

from base.errors import UserError
from nets.module import Network, build

# Below every number that occurs: smoothReLU is max(0, z) to the last bit.
EXACT_RELU = 1e-300


def scale_factors(net: Network) -> torch.Tensor:
    """c[ℓ] = s[ℓ](τ) / s[ℓ](1): what τ multiplies the step's activation by."""
    tau = net.tau.detach().double()
    if not bool((tau > 0).all()):
        raise UserError(f"a rescaling needs tau > 0, got {tau.min():g}")
    gamma = net.config.gamma
    with torch.no_grad():
        own = net.architecture.coefficients(tau, gamma)[1]
        unit = net.architecture.coefficients(torch.ones_like(tau), gamma)[1]
    return own / unit


def rescaled(net: Network, *, tau: str = "fixed") -> Network:
    """The net with steps 1 and the hidden weights and biases multiplied by `scale_factors`."""
    factors = scale_factors(net)
    settings = {**net.config.as_dict(), "tau": tau, "tau0": 1.0}
    other = build(**settings)
    with torch.no_grad():
        for target, source in zip((*other.W, *other.b), (*net.W, *net.b), strict=True):
            target.copy_(source)
        for factor, W, b in zip(factors, other.W, other.b, strict=False):
            W.mul_(factor)
            b.mul_(factor)
    return other


def rescaling_gap(net: Network, x: Any) -> float:
    """Relative distance of a net's output from that of its rescaled twin: rounding, or O(1).

    It is 0 where both are equal, also where both vanish (no unit of the net is active).
    """
    with torch.no_grad():
        own, twin = net(x), rescaled(net)(x)
    return 0.0 if torch.equal(own, twin) else float((own - twin).norm() / own.norm())
