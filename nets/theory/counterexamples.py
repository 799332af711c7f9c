"""Nets and equations for which a sentence of the paper's Sections 3 and 6 fails (maths 9.2, 9.4).

Each is small enough to check by hand, and is measured on a net that is really built.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from base.registry import name_of
from nets.architectures import feedforward, resnet
from nets.fractional.mittag_leffler import mittag_leffler
from nets.fractional.ode import solve_fractional_ode
from nets.gradients.norms import layer_norms
from nets.module import Network, build
from nets.theory.derivatives import linearise


def contracting_resnet(hidden: int = 20, width: int = 5, slope: float = -0.5) -> Network:
    """A ResNet with τ = 1, W = −½ I and b = 30: active everywhere, so that I + τD = ½ I.

    Skips do not prevent vanishing. What does is an assumption on D: ‖G‖ ≥ Π (1 − τ‖D‖) > 0 needs
    Σ τ‖D‖ bounded and τ‖D‖ < 1, that is small steps, τ = O(1/H).
    """
    net = build(net=name_of(resnet), tau="fixed", tau0=1.0, hidden=hidden, width=width)
    with torch.no_grad():
        for W, b in zip(list(net.W)[1:-1], list(net.b)[1:], strict=True):
            W.copy_(slope * torch.eye(width, dtype=W.dtype))
            b.fill_(30.0)
    return net


def log10_decay(net: Network, seed: int = 0) -> float:
    """log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖ on a few random points."""
    random = np.random.Generator(np.random.Philox([seed, 3]))
    x, y = (torch.from_numpy(random.standard_normal((4, n))) for n in (net.widths[0], 3))
    norms = layer_norms(net, x, y).y
    return norms[1].log10 - norms[-2].log10


def product_of_factors(layers: int) -> float:
    """dy[L-1]/dy[1] of a one-neuron feedforward net with factors 1 − 1/k², k = 2..layers+1.

    Every factor is below 1 and the product tends to ½: it is (n+1)/(2n) with n = layers + 1. For
    factors 0 < d < 1 it tends to 0 if and only if Σ (1 − d) = ∞; a uniform bound d ≤ q < 1 is
    enough, and then it does so like q^n.
    """
    net = build(
        net=name_of(feedforward), tau="fixed", hidden=layers + 1, width=1, inputs=1, outputs=1
    )
    with torch.no_grad():
        for k, (W, b) in enumerate(zip(list(net.W)[1:-1], list(net.b)[1:], strict=True), start=2):
            W.fill_(1.0 - 1.0 / k**2)
            b.zero_()
        net.W[0].fill_(1.0)
        net.b[0].fill_(1.0)
    at = linearise(net, torch.ones(1, 1, dtype=torch.float64))
    return math.prod(float(at.D(i)[0, 0, 0]) for i in range(1, layers + 1))


@dataclass(frozen=True)
class Escape:
    """Two solutions of ∂^γ y = y² that leave the ball in which y² has the Lipschitz constant Λ."""

    left_at: float  # when the first of them leaves
    growth: float  # of their distance at the end
    bound: float  # E_γ(Λ t^γ) at the end


def escape(gamma: float = 0.5, radius: float = 0.5, end: float = 0.12, steps: int = 800) -> Escape:
    """y² on |y − 1| ≤ r has Λ = 2(1 + r). From y(0) = 1 and 1.01 solutions leave it and outgrow
    even the right bound with that Λ.

    The Proposition of Section 3 assumes f Lipschitz near y₀ only, and never shows that solutions
    stay there: it needs T so small that they do, or a global Lipschitz constant.
    """
    tau = torch.full((steps,), end / steps, dtype=torch.float64)
    start = torch.tensor([1.0, 1.01], dtype=torch.float64)
    y = solve_fractional_ode(lambda t, y: y**2, start, tau, gamma)
    outside = torch.nonzero((y[:, 1] - 1.0).abs() > radius)
    left = float(outside[0, 0]) * end / steps if len(outside) else math.inf
    growth = float((y[-1, 1] - y[-1, 0]) / (start[1] - start[0]))
    return Escape(left, growth, mittag_leffler(2.0 * (1.0 + radius) * end**gamma, gamma))
