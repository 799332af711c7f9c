"""How each state of a net depends on the earlier ones: what all its derivatives are made of.

    y[i] = Σ_{k<i} skips[i,k] P y[k] + scales[i-1] a[i-1]

For the paper's four nets `skips` and `scales` are written from the theorems of its Section 6, with
their corrections (maths 8), and not from the kernel's C and s, so that either can check the other.
For any other architecture they are C and s, differentiated automatically.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import gamma as Gamma
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import pad

from nets.architectures import Architecture
from nets.fractional.caputo import memory_weight_derivatives
from nets.fractional.weights import memory_weights
from nets.gradients.adjoint import coefficient_vjp
from nets.module import Network


class Recursion(Protocol):
    """The numbers of one net at one τ, and how they move with τ."""

    skips: Tensor  # (H+1, H+1), strictly lower triangular
    scales: Tensor  # (H,)
    moving: bool  # whether the skips depend on τ

    def column(self, j: int) -> tuple[Tensor, Tensor]:
        """∂skips/∂τ[j] and ∂scales/∂τ[j]."""

    def pullback(self, dskips: Tensor, dscales: Tensor) -> Tensor:
        """∂J/∂τ from ∂J/∂skips and ∂J/∂scales."""


class EulerSteps:
    """Feedforward net, ResNet, DenseNet: constant skips, and τ[i] multiplies a[i]."""

    moving = False

    def __init__(self, skips: Tensor, tau: Tensor) -> None:
        self.skips, self.scales = skips, tau

    def column(self, j: int) -> tuple[Tensor, Tensor]:
        return torch.zeros_like(self.skips), _unit(len(self.scales), j)

    def pullback(self, dskips: Tensor, dscales: Tensor) -> Tensor:
        return dscales


class CaputoSteps:
    """Fractional-DNN: skips[i,k] = A[i-1,k] - A[i-1,k-1] for k ≤ i-2, 1 - A[i-1,i-2] for k = i-1,
    and τ[i]^γ Γ(2-γ) multiplies a[i]."""

    moving = True

    def __init__(self, tau: Tensor, gamma: float) -> None:
        self.tau, self.gamma = tau, gamma
        self.A = memory_weights(tau, gamma)
        self.skips = gathered(self.A, own=1.0)
        self.scales = tau**gamma * Gamma(2.0 - gamma)

    @cached_property
    def dA(self) -> Tensor:
        """∂A[l,j]/∂τ[i]."""
        return memory_weight_derivatives(self.tau, self.gamma)

    @property
    def slopes(self) -> Tensor:
        """∂scales[i]/∂τ[i]."""
        return self.gamma * self.scales / self.tau

    def column(self, j: int) -> tuple[Tensor, Tensor]:
        return gathered(self.dA[:, :, j], own=0.0), self.slopes * _unit(len(self.tau), j)

    def pullback(self, dskips: Tensor, dscales: Tensor) -> Tensor:
        """γ/τ[j] scales[j] dscales[j] - Σ_{i,k} ∂A[i-1,k]/∂τ[j] (dskips[i,k+1] - dskips[i,k])."""
        jumps = dskips[1:].diff(dim=1).tril(-1)
        return self.slopes * dscales - torch.einsum("lk,lkj->j", jumps, self.dA)


def gathered(A: Tensor, own: float) -> Tensor:
    """own P y[i-1] - Σ_{k≤i-2} A[i-1,k] (P y[k+1] - P y[k]), gathered by state: (H+1, H+1)."""
    diagonal = own * torch.eye(len(A), dtype=A.dtype)
    return pad(A + diagonal, (0, 1, 1, 0)) - pad(A, (1, 0, 1, 0))


class GeneralSteps:
    """Any architecture: its own C and s, differentiated automatically."""

    def __init__(self, architecture: Architecture, tau: Tensor, gamma: float) -> None:
        self.tau = tau.clone().requires_grad_()
        self.coefficients = lambda steps: architecture.coefficients(steps, gamma)
        with torch.enable_grad():
            self.outputs = self.coefficients(self.tau)
        self.skips, self.scales = (output.detach() for output in self.outputs)
        self.moving = self.outputs[0].requires_grad

    def column(self, j: int) -> tuple[Tensor, Tensor]:
        along = _unit(len(self.tau), j)
        _, slopes = torch.autograd.functional.jvp(self.coefficients, self.tau.detach(), along)
        return slopes

    def pullback(self, dskips: Tensor, dscales: Tensor) -> Tensor:
        return coefficient_vjp(self.tau, self.outputs, (dskips, dscales))


THEOREMS: dict[str, Callable[[Tensor, float], Recursion]] = {
    "feedforward": lambda tau, gamma: EulerSteps(torch.zeros_like(_ones(tau)), tau),
    "resnet": lambda tau, gamma: EulerSteps(torch.diag(torch.ones_like(tau), -1), tau),
    "densenet": lambda tau, gamma: EulerSteps(_ones(tau).tril(-1), tau),
    "fractional": CaputoSteps,
}


def recursion_of(net: Network) -> Recursion:
    """By the net's theorem in the paper where there is one, else from its C and s."""
    tau, gamma = net.tau.detach().double(), net.config.gamma
    if net.config.net in THEOREMS:
        return THEOREMS[net.config.net](tau, gamma)
    return GeneralSteps(net.architecture, tau, gamma)


def _ones(tau: Tensor) -> Tensor:
    return tau.new_ones(len(tau) + 1, len(tau) + 1)


def _unit(size: int, j: int) -> Tensor:
    return torch.eye(size, dtype=torch.float64)[j]
