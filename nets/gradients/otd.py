"""Optimise-then-discretise ("OtD") for the Fractional-DNN, and how far it is from DtO.

OtD discretises the continuous adjoint equation by the right L1 scheme (paper, Section 5.2):

    φ[l] = Pᵀφ[l+1] + Σ_{j=l+1}^{L-2} B[j,l] (Pᵀφ[j+1] - Pᵀφ[j]) + s[l] W[l]ᵀ (φ[l+1] ⊙ σ'(z[l])),

with φ[L-1] = W[L-1]ᵀ φ[L] and s = τ^γ Γ(2-γ). It is not the transpose of the state equation,
because the adjoint of the left Caputo derivative is the right Riemann–Liouville derivative, and
not the right Caputo one: a boundary term is missing. With equal steps and widths one step of DtO is
one step of OtD minus α_{L-1-l} φ[L-1], α_m = (m+1)^{1-γ} - m^{1-γ}, exactly (maths 8.6).
"""

from __future__ import annotations

import torch
from torch import Tensor

from base.errors import UserError
from nets.fractional.weights import right_memory_weights
from nets.gradients.adjoint import adjoint_states, states
from nets.module import Network, project


def otd_adjoint_states(net: Network, z: list[Tensor], phi_L: Tensor) -> list[Tensor]:
    """φ[0..L] of OtD for the pre-activations z[0..L-2], from φ[L] = ∂J/∂y[L]."""
    _fractional_only(net)
    with torch.no_grad():
        last = len(z)
        phi = {last + 1: phi_L, last: phi_L @ net.W[last]}
        for l in reversed(range(last)):
            phi[l] = otd_step(net, z, phi, l)
    return [phi[l] for l in range(last + 2)]


def otd_step(net: Network, z: list[Tensor], phi: dict[int, Tensor], l: int) -> Tensor:
    """φ[l] of OtD from the later adjoints φ[l+1], …, φ[L-1]."""
    last, gamma = len(z), net.config.gamma
    B = right_memory_weights(net.tau.detach(), gamma).to(phi[last].dtype)
    _, s = net.architecture.coefficients(net.tau.detach().double(), gamma)
    inner = s[l].to(phi[last].dtype) * phi[l + 1] * net.sigma.slope(z[l])
    adjoint = inner @ net.W[l]
    if l == 0 and not net.config.carry_input:  # P(0→·) = 0
        return adjoint
    width = net.widths[l]
    adjoint = adjoint + project(phi[l + 1], to=width)
    for j in range(l + 1, last):
        adjoint = adjoint + B[j, l] * (project(phi[j + 1], to=width) - project(phi[j], to=width))
    return adjoint


def one_step_gaps(net: Network, x: Tensor, phi_L: Tensor) -> dict[int, Tensor]:
    """For each l = 1..L-2, DtO's φ[l] minus one OtD step from the same later (DtO) adjoints."""
    _fractional_only(net)
    with torch.no_grad():
        z = states(net, x)[1]
        phi = dict(enumerate(adjoint_states(net, z, phi_L)))
        return {l: phi[l] - otd_step(net, z, phi, l) for l in range(1, len(z))}


def missing_terms(net: Network, phi_last: Tensor) -> dict[int, Tensor]:
    """-α_{L-1-l} φ[L-1] for l = 1..L-2: the whole one-step gap when steps and widths are equal."""
    p, last = 1.0 - net.config.gamma, len(net.b)
    return {l: -((last - l + 1) ** p - (last - l) ** p) * phi_last for l in range(1, last)}


def adjoint_drift(net: Network, x: Tensor, phi_L: Tensor) -> Tensor:
    """‖φ_DtO[l] - φ_OtD[l]‖ / ‖φ_DtO[l]‖ for l = 0..L, both run as whole recursions."""
    z = states(net, x)[1]
    exact, otd = adjoint_states(net, z, phi_L), otd_adjoint_states(net, z, phi_L)
    return torch.stack([(a - b).norm() / a.norm() for a, b in zip(exact, otd, strict=True)])


def _fractional_only(net: Network) -> None:
    if net.config.net != "fractional":
        raise UserError(
            f"method 'otd' exists only for net='fractional', got {net.config.net!r}; "
            "without memory weights DtO and OtD agree: use method='dto'"
        )
