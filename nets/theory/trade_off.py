"""Example 6.3: a small τ tames one derivative and shrinks another (maths 9.4)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from base.registry import name_of
from nets.architectures import resnet
from nets.module import build
from nets.theory.derivatives import linearise


@dataclass(frozen=True)
class TradeOff:
    """Example 6.3 in numbers: derivatives of y[2] in a ResNet of one neuron per layer."""

    first_bias: float  # dy[2]/db[0] = (1 + τ[1] w) τ[0]
    second_bias: float  # dy[2]/db[1] = τ[1]
    second_tau: float  # dy[2]/dτ[1] = a[1]


def example_6_3(weight: float, tau: float) -> TradeOff:
    """W[1] = `weight`, τ[1] = `tau`, τ[0] = 1, all neurons active, y[1] = 1 + 1/2.

    A small τ[1] cures the large factor 1 + τ[1] w of the first layer's derivatives and shrinks
    the second layer's own by the same τ[1]; with τ[1] = c/w the first stay at 1 + c while the
    second vanish like 1/w. The derivative by τ[1] itself is a[1] = w y[1], whatever τ is.
    """
    from nets.theory.derivatives import state_derivatives

    net = build(
        net=name_of(resnet), tau="fixed", tau0=(1.0, tau), hidden=2, width=1, inputs=1, outputs=1
    )
    with torch.no_grad():
        net.W[0].fill_(1.0)
        net.b[0].fill_(0.5)
        net.W[1].fill_(weight)
        net.b[1].zero_()
    at = linearise(net, torch.ones(1, 1, dtype=torch.float64))
    own = state_derivatives(at, 2, 1)
    return TradeOff(
        float(state_derivatives(at, 2, 0)["b"][0, 0, 0]),
        float(own["b"][0, 0, 0]),
        float(own["tau"][0, 0]),
    )
