"""How each state of a net depends on the earlier ones: what all its derivatives are made of.

    y[i] = Σ_{k<i} skips[i,k] P y[k] + scales[i-1] a[i-1]

For the paper's four nets `skips` and `scales` are written from the theorems of its Section 6, with
their corrections (maths 8), and not from the kernel's C and s, so that either can check the other.
For any other architecture they are C and s. How they move with τ is differentiated automatically.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gamma as Gamma

import torch
from torch import Tensor
from torch.nn.functional import pad

from nets.fractional.weights import memory_weights
from nets.gradients.adjoint import coefficient_vjp
from nets.module import Network

Steps = tuple[Tensor, Tensor]  # skips (H+1, H+1), strictly lower triangular, and scales (H,)


class Recursion:
    """The numbers of one net at one τ, and how they move with τ."""

    def __init__(self, steps: Callable[[Tensor], Steps], tau: Tensor) -> None:
        self.steps, self.tau = steps, tau.detach().double().requires_grad_()
        with torch.enable_grad():
            self.outputs = steps(self.tau)
        self.skips, self.scales = (output.detach() for output in self.outputs)
        self.moving = self.outputs[0].requires_grad  # whether the skips depend on τ

    def column(self, j: int) -> Steps:
        """∂skips/∂τ[j] and ∂scales/∂τ[j]."""
        along = torch.eye(len(self.tau), dtype=torch.float64)[j]
        slopes: Steps = torch.autograd.functional.jvp(self.steps, self.tau.detach(), along)[1]
        return slopes

    def pullback(self, dskips: Tensor, dscales: Tensor) -> Tensor:
        """∂J/∂τ from ∂J/∂skips and ∂J/∂scales."""
        return coefficient_vjp(self.tau, self.outputs, (dskips, dscales))


def fractional_steps(tau: Tensor, gamma: float) -> Steps:
    """skips[i,k] = A[i-1,k] - A[i-1,k-1] for k ≤ i-2, 1 - A[i-1,i-2] for k = i-1, and
    scales[i] = τ[i]^γ Γ(2-γ)."""
    return gathered(memory_weights(tau, gamma)), tau**gamma * Gamma(2.0 - gamma)


def gathered(A: Tensor) -> Tensor:
    """P y[i-1] - Σ_{k≤i-2} A[i-1,k] (P y[k+1] - P y[k]), gathered by state: (H+1, H+1)."""
    return pad(A + torch.eye(len(A), dtype=A.dtype), (0, 1, 1, 0)) - pad(A, (1, 0, 1, 0))


def _ones(tau: Tensor) -> Tensor:
    return tau.new_ones(len(tau) + 1, len(tau) + 1)


THEOREMS: dict[str, Callable[[Tensor, float], Steps]] = {
    "feedforward": lambda tau, gamma: (torch.zeros_like(_ones(tau)), tau),
    "resnet": lambda tau, gamma: (torch.diag(torch.ones_like(tau), -1), tau),
    "densenet": lambda tau, gamma: (_ones(tau).tril(-1), tau),
    "fractional": fractional_steps,
}


def recursion_of(net: Network) -> Recursion:
    """By the net's theorem in the paper where there is one, else from its C and s."""
    steps, gamma = THEOREMS.get(net.config.net, net.architecture.coefficients), net.config.gamma
    return Recursion(lambda tau: steps(tau, gamma), net.tau)
