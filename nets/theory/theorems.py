"""The theorems and counterexamples of maths 9: small nets and equations, and their numbers.

Each is small enough to check by hand, and is measured on a net that is really built; the claims
use `measured_theorems`.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
import torch

from base.registry import name_of
from nets.architectures import densenet, feedforward, fractional, resnet
from nets.fractional.mittag_leffler import mittag_leffler
from nets.fractional.ode import solve_fractional_ode
from nets.gradients.norms import log10_norms
from nets.module import Network, build
from nets.theory.derivatives import linearise, state_derivatives
from nets.theory.paths import decay_exponent, identity_path, identity_path_limit
from nets.theory.rescaling import EXACT_RELU, rescaling_gap
from nets.theory.slips import example_points

DEEP = 400  # layers of the identity path: its slope is within 3e-3 of the limit
STEEP = 100.0  # the large weight of Example 6.3


def measured_theorems(seed: int) -> dict[str, Any]:
    """Measure all of them; the seed draws the order γ, the weights and steps, the points."""
    random = np.random.Generator(np.random.Philox([seed, 9]))
    gamma = float(random.uniform(0.2, 0.8))
    growth, bound = escape()
    first, second = zip(example_6_3(STEEP, 1.0), example_6_3(STEEP, 1.0 / STEEP), strict=True)
    return {
        "gamma": gamma,
        "identity_path_slope": decay_exponent(DEEP, gamma),
        "identity_path_constant": identity_path(DEEP, gamma)[-1] / identity_path_limit(DEEP, gamma),
        "contracting_log10_decay": log10_decay(contracting_resnet(), seed),
        "product_of_factors_below_one": product_of_factors(200),
        "escape_growth": growth,
        "escape_bound": bound,
        "example_6_3_first": list(first),
        "example_6_3_second": list(second),
        "rescaling_gap": {
            "resnet": _gap(seed, resnet, "uniform"),
            "densenet": _gap(seed, densenet, "uniform"),
            "fractional, equal steps": _gap(seed, fractional, 0.3),
            "fractional, unequal steps": _gap(seed, fractional, "uniform"),
        },
    }


def _gap(seed: int, architecture: ModuleType, tau0: float | str) -> float:
    net = name_of(architecture)
    tall = build(net=net, tau0=tau0, hidden=6, width=10, inputs=4, eta=EXACT_RELU, seed=seed)
    return rescaling_gap(tall, example_points(seed))


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
    norms = log10_norms(net, x, y)["y"]
    return float(norms[1] - norms[-2])


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


def escape(
    gamma: float = 0.5, radius: float = 0.5, end: float = 0.12, steps: int = 800
) -> tuple[float, float]:
    """How far two solutions of ∂^γ y = y² grow apart until `end`, and the bound E_γ(Λ t^γ) there.

    y² on |y − 1| ≤ r has Λ = 2(1 + r). From y(0) = 1 and 1.01 solutions leave this ball and outgrow
    even the right bound with that Λ. The Proposition of Section 3 assumes f Lipschitz near y₀ only,
    and never shows that solutions stay there: it needs T so small that they do, or a global
    Lipschitz constant.
    """
    tau = torch.full((steps,), end / steps, dtype=torch.float64)
    start = torch.tensor([1.0, 1.01], dtype=torch.float64)
    last = solve_fractional_ode(lambda t, y: y**2, start, tau, gamma)[-1]
    growth = float((last[1] - last[0]) / (start[1] - start[0]))
    return growth, mittag_leffler(2.0 * (1.0 + radius) * end**gamma, gamma)


def example_6_3(weight: float, tau: float) -> tuple[float, float]:
    """dy[2]/db[0] = (1 + τ[1] w) τ[0] and dy[2]/db[1] = τ[1] in a ResNet of one neuron per layer.

    W[1] = `weight`, τ[1] = `tau`, τ[0] = 1, all neurons active. A small τ[1] cures the large factor
    1 + τ[1] w of the first layer's derivatives and shrinks the second layer's own by the same τ[1];
    with τ[1] = c/w the first stay at 1 + c while the second vanish like 1/w.
    """
    net = build(
        net=name_of(resnet), tau="fixed", tau0=(1.0, tau), hidden=2, width=1, inputs=1, outputs=1
    )
    with torch.no_grad():
        net.W[0].fill_(1.0)
        net.b[0].fill_(0.5)
        net.W[1].fill_(weight)
        net.b[1].zero_()
    at = linearise(net, torch.ones(1, 1, dtype=torch.float64))
    first, second = (float(state_derivatives(at, 2, j)["b"][0, 0, 0]) for j in (0, 1))
    return first, second
