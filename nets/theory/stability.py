"""How perturbations of the input grow through a net, and the bounds for it.

The paper's Proposition (Section 3.2) bounds two solutions of ∂_t^γ y = f(t, y), f Lipschitz with
constant Λ, by Gronwall's lemma, ‖δ(t)‖ ≤ exp(Λ t^{1-γ} / Γ(2-γ)) ‖δ(0)‖. Two slips (maths 8.4,
8.5): the Volterra kernel must be (t-s)^{γ-1}/Γ(γ), and for a singular kernel that lemma does not
give an exponential. The right form is ‖δ(t)‖ ≤ E_γ(Λ t^γ) ‖δ(0)‖, attained by f = Λ y.

In the net, layer by layer: all coefficients of the L1 scheme are non-negative, so ‖δ[l]‖ is at
most what the scalar scheme with f = Λ y gives; that the scalar scheme stays below E_γ(Λ t^γ) on
every grid is what the tests find, not a theorem quoted here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from base.errors import UserError
from base.registry import name_of
from nets.architectures import fractional
from nets.fractional.mittag_leffler import mittag_leffler
from nets.gradients.passes import trajectory
from nets.module import Network, build

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """‖δ[l]‖ / ‖δ[0]‖ and its bounds at t[l], l = 0..L-1."""

    t: Array
    measured: Array  # the largest over the samples
    mittag_leffler: Array
    printed: Array


def perturbation_growth(net: Network, x: Any, delta: Any) -> Growth:
    """Run the net from x and from x + delta (both (N, n₀)); the input must be carried."""
    if not net.config.carry_input:
        raise UserError(
            "the proposition speaks of the state at t = 0: build the net with carry_input=True "
            "and width = inputs, so that its input is the state"
        )
    x, delta = net.as_batch(x, "x", net.widths[0]), net.as_batch(delta, "delta", net.widths[0])
    base, moved = trajectory(net, x), trajectory(net, x + delta)
    size = delta.double().norm(dim=1)
    if not bool((size > 0).all()):
        raise UserError("delta must be nonzero in every row; growth is relative to it")
    growth = [
        float(
            ((b.mantissa * 2.0**b.exponent - a.mantissa * 2.0**a.exponent).norm(dim=1) / size).max()
        )
        for a, b in zip(base.y[:-1], moved.y[:-1], strict=True)
    ]
    t = np.concatenate([[0.0], np.cumsum(net.tau.detach().double().numpy())])
    return Growth(t, np.array(growth), *growth_bounds(lipschitz_constant(net), t, net.config.gamma))


def lipschitz_constant(net: Network) -> float:
    """Λ = max_l ‖W[l]‖₂: the activations in use have slopes of at most 1."""
    norms = [torch.linalg.matrix_norm(W.detach().double(), ord=2) for W in list(net.W)[:-1]]
    return float(torch.stack(norms).max())


def growth_bounds(lipschitz: float, t: Array, gamma: float) -> tuple[Array, Array]:
    """(E_γ(Λ t^γ), exp(Λ t^{1-γ} / Γ(2-γ))): the corrected bound and the printed one."""
    correct = [mittag_leffler(lipschitz * time**gamma, gamma) for time in t]
    exponents = [lipschitz * time ** (1.0 - gamma) / math.gamma(2.0 - gamma) for time in t]
    printed = [math.exp(e) if e < 709.0 else math.inf for e in exponents]
    return np.array(correct), np.array(printed)


def linear_growth(lipschitz: float, end: float, gamma: float, hidden: int) -> Growth:
    """Growth in the Fractional-DNN that is f(y) = Λ y: W = Λ, b = 0, one positive neuron.

    At γ = ½, Λ t^γ = 3 the solution grows by E_½(3) ≈ 16 206, where the paper prints 29.5.
    """
    net = build(
        net=name_of(fractional), tau="fixed", tau0=end / hidden, hidden=hidden, width=1, inputs=1,
        outputs=1, gamma=gamma, carry_input=True,
    )  # fmt: skip
    with torch.no_grad():
        for W, b in zip(net.W, net.b, strict=False):
            W.fill_(lipschitz)
            b.zero_()
    one = torch.ones(1, 1, dtype=torch.float64)
    return perturbation_growth(net, one, one)
