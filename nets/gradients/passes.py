"""Forward and adjoint passes in numbers that cannot overflow (`nets.gradients.extended`).

For the norms and Jacobians of deep nets at initialisation; training uses `nets.fast.kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from nets.gradients.extended import Scaled, WeightedStates, times_power
from nets.module import Network

# Activations are evaluated at arguments of at most 2^600 times the mantissa: those in use are
# homogeneous (rectifiers) or bounded (tanh) there to far below rounding.
LARGEST_ARGUMENT = {torch.float64: 600, torch.float32: 60}


@dataclass(frozen=True)
class Trajectory:
    """One forward pass: what every linearised pass needs, in float64 by default."""

    net: Network
    W: list[Tensor]
    C: Tensor  # coefficients of the past states; the input's column is 0 unless it is carried
    s: Tensor
    y: list[Scaled]  # states y[0..L]
    states: WeightedStates  # which holds y[0..L-1]
    a: list[Scaled]  # activations σ(z[l])
    slope: list[Tensor]  # σ'(z[l])
    z: list[Scaled]  # pre-activations

    @property
    def last(self) -> int:
        """L-1, the last hidden layer."""
        return len(self.slope)

    @property
    def samples(self) -> int:
        return len(self.slope[0])


def trajectory(net: Network, x: Any, *, dtype: torch.dtype = torch.float64) -> Trajectory:
    """The states of the net at x (N, n₀)."""
    with torch.no_grad():
        C, s = coefficients(net, net.tau.detach().double())
        W = [weight.detach().to(dtype) for weight in net.W]
        inputs = net.as_batch(x, "x", net.widths[0]).to(dtype)
        states = WeightedStates(C, len(inputs), max(net.widths[:-1]), dtype)
        y = [states.append(Scaled(inputs))]
        z, a, slope = [], [], []
        for l in range(1, len(W)):
            z.append(_weighed(W[l - 1], net.b[l - 1].detach().to(dtype), y[-1]))
            value, derivative = _activated(net, z[-1])
            a.append(value)
            slope.append(derivative)
            own = Scaled(s[l - 1] * value.mantissa, value.exponent)
            y.append(states.append(_joined(own, states.recall(net.widths[l]))))
        y.append(Scaled(y[-1].mantissa @ W[-1].T, y[-1].exponent).balanced())
        return Trajectory(net, W, C, s, y, states, a, slope, z)


def coefficients(net: Network, tau: Tensor) -> tuple[Tensor, Tensor]:
    """C and s of the architecture, with P(0→·) = 0 put into C unless the input is carried."""
    C, s = net.architecture.coefficients(tau, net.config.gamma)
    if not net.config.carry_input:
        C = torch.cat([torch.zeros_like(C[:, :1]), C[:, 1:]], dim=1)
    return C, s


def _weighed(W: Tensor, b: Tensor, y: Scaled) -> Scaled:
    """W y + b."""
    return Scaled(torch.addmm(times_power(b, -y.exponent), y.mantissa, W.T), y.exponent)


def _activated(net: Network, z: Scaled) -> tuple[Scaled, Tensor]:
    """σ(z) and σ'(z)."""
    shift = min(z.exponent, LARGEST_ARGUMENT[z.mantissa.dtype])
    plain = times_power(z.mantissa, shift)
    return Scaled(times_power(net.sigma.value(plain), -shift), z.exponent), net.sigma.slope(plain)


def _joined(own: Scaled, past: Scaled | None) -> Scaled:
    return (own if past is None else own.plus(past)).balanced()


def adjoint(
    at: Trajectory, start: Scaled, layer: int, repeat: int = 1
) -> tuple[list[Scaled], WeightedStates]:
    """φ[0..layer] from φ[layer] = start: φ[k] = Σ_{l>k} C[l,k] Pᵀφ[l] + s[k] W[k]ᵀ(φ[k+1] ⊙ σ'[k]).

    `start` has `repeat` rows for each sample; `layer` is a hidden one. The same adjoints come back
    as `WeightedStates` too, last layer first.
    """
    with torch.no_grad():
        backwards = at.C[: layer + 1, : layer + 1].T.flip(0, 1)
        widest, dtype = max(at.net.widths[: layer + 1]), start.mantissa.dtype
        states = WeightedStates(backwards, len(start.mantissa), widest, dtype)
        phi = [states.append(start.balanced())]
        for k in reversed(range(layer)):
            inner = _weighted_slope(at, phi[-1], k, repeat)
            own = Scaled(inner.mantissa @ at.W[k], inner.exponent)
            phi.append(states.append(_joined(own, states.recall(at.net.widths[k]))))
        return phi[::-1], states


def _weighted_slope(at: Trajectory, phi: Scaled, k: int, repeat: int = 1) -> Scaled:
    """∂J/∂z[k] = s[k] φ[k+1] ⊙ σ'(z[k])."""
    slope = at.slope[k] if repeat == 1 else at.slope[k].repeat_interleave(repeat, dim=0)
    return Scaled(at.s[k] * phi.mantissa * slope, phi.exponent)


@dataclass(frozen=True)
class Gradients:
    """∂J/∂θ for the mean square error J, with φ[k] = ∂J/∂y[k]."""

    W: list[Scaled]
    b: list[Scaled]
    tau: list[Scaled]  # one number per layer
    phi: list[Scaled]  # φ[0..L]


def output_adjoint(at: Trajectory, target: Any) -> Scaled:
    """φ[L] = (y[L] - S)/N, the derivative of 1/(2N) Σ‖y[L] - S‖²."""
    target = at.net.as_batch(target, "y", at.net.widths[-1]).to(at.y[-1].mantissa.dtype)
    residual = at.y[-1].plus(Scaled(-target))
    return Scaled(residual.mantissa / len(target), residual.exponent)


def last_adjoint(at: Trajectory, phi_L: Scaled) -> Scaled:
    """φ[H] = W[L-1]ᵀ φ[L]."""
    return Scaled(phi_L.mantissa @ at.W[-1], phi_L.exponent)


def state_adjoints(at: Trajectory, target: Any) -> list[Scaled]:
    """φ[0..H] alone, without the gradients of parameters, which cost as much again."""
    return adjoint(at, last_adjoint(at, output_adjoint(at, target)), at.last)[0]


def gradients(at: Trajectory, target: Any) -> Gradients:
    """The gradient of 1/(2N) Σ‖y[L] - S‖² by the discrete adjoint."""
    phi_L = output_adjoint(at, target)
    phi, states = adjoint(at, last_adjoint(at, phi_L), at.last)
    with torch.no_grad():
        W, b = [], []
        for k in range(at.last):
            inner, y = _weighted_slope(at, phi[k + 1], k), at.y[k]
            W.append(Scaled(inner.mantissa.T @ y.mantissa, inner.exponent + y.exponent))
            b.append(Scaled(inner.mantissa.sum(0), inner.exponent))
        last = at.y[at.last]
        W.append(Scaled(phi_L.mantissa.T @ last.mantissa, phi_L.exponent + last.exponent))
    return Gradients(W, b, _tau_gradient(at, phi, states), [*phi, phi_L])


def _tau_gradient(at: Trajectory, phi: list[Scaled], adjoints: WeightedStates) -> list[Scaled]:
    """∂J/∂τ[k] from ds[l] = ⟨a[l], φ[l+1]⟩ and dC[l,j] = ⟨P y[j], φ[l]⟩ through τ ↦ (C, s).

    Where s[k] depends on τ[k] alone, as in the paper's nets, each entry keeps its own exponent.
    """
    tau = at.net.tau.detach().double().requires_grad_()
    with torch.enable_grad():
        C, s = coefficients(at.net, tau)
    ds = [_inner_product(a.balanced(), p) for a, p in zip(at.a, phi[1:], strict=True)]
    slopes = _jacobian(s, tau)
    entries = [
        _sum([Scaled(slopes[l, k] * ds[l].mantissa, ds[l].exponent) for l in column.nonzero()])
        for k, column in enumerate(slopes.T)
    ]
    if not C.requires_grad:
        return entries
    dC = at.states.inner_products(adjoints)
    (by_skips,) = torch.autograd.grad(C, tau, dC.mantissa.flip(0))
    return [entry.plus(Scaled(by_skips[k], dC.exponent)) for k, entry in enumerate(entries)]


def _jacobian(s: Tensor, tau: Tensor) -> Tensor:
    """∂s[l]/∂τ[k], (H, H)."""
    identity = torch.eye(len(tau), dtype=tau.dtype)
    if not s.requires_grad:
        return torch.zeros_like(identity)
    (rows,) = torch.autograd.grad(s, tau, identity, retain_graph=True, is_grads_batched=True)
    return rows


def _sum(terms: list[Scaled]) -> Scaled:
    return reduce(Scaled.plus, terms) if terms else Scaled(torch.zeros((), dtype=torch.float64))


def _inner_product(a: Scaled, b: Scaled) -> Scaled:
    product = torch.vdot(a.mantissa.reshape(-1), b.mantissa.reshape(-1))
    return Scaled(product, a.exponent + b.exponent)
