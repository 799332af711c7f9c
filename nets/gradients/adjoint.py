"""Discretise-then-optimise ("DtO"): the adjoint and the parameter gradients by hand (maths 4).

Written once in the coefficients C, s of the architecture; plain full-batch torch, for reading,
for the theory and as the oracle of `nets.fast.kernel`, which computes the same numbers faster.
"""

import torch
from torch import Tensor

from nets.loss import Loss
from nets.module import Network, project, propagate, skip_terms

Gradients = dict[str, Tensor]


def states(net: Network, x: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """y[0..L] and z[0..L−2] of the net, detached."""
    with torch.no_grad():
        return propagate(net, x, list(net.W), list(net.b), net.tau)


def adjoint_states(net: Network, z: list[Tensor], phi_L: Tensor) -> list[Tensor]:
    """φ[0..L], φ[k] = ∂J/∂y[k] = Σ_{ℓ>k} C[ℓ,k] Pᵀ φ[ℓ] + s[k] W[k]ᵀ (φ[k+1] ⊙ σ′(z[k])).

    φ[L−1] = W[L−1]ᵀ φ[L]. φ[0] is the gradient with respect to the input.
    """
    with torch.no_grad():
        C, s = net.architecture.coefficients(net.tau.double(), net.config.gamma)
        terms = skip_terms(net, C)
        C, s = C.to(phi_L.dtype), s.to(phi_L.dtype)
        last = len(z)  # L − 1
        phi = [phi_L @ net.W[last], phi_L]
        for k in reversed(range(last)):
            inner = s[k] * phi[0] * net.sigma.slope(z[k])
            adjoint = inner @ net.W[k]
            for l in range(k + 1, last + 1):
                if k in terms[l]:
                    adjoint = adjoint + C[l, k] * project(phi[l - k - 1], to=net.widths[k])
            phi.insert(0, adjoint)
    return phi


def parameter_gradients(
    net: Network, y: list[Tensor], z: list[Tensor], phi: list[Tensor], loss: Loss
) -> Gradients:
    """dJ/dW, dJ/db, dJ/dτ from states and adjoints, penalties included.

    dW[ℓ] = Σ_rows s[ℓ] (φ[ℓ+1] ⊙ σ′(z[ℓ])) y[ℓ]ᵀ, db[ℓ] = the same without y[ℓ]; and with
    dC[ℓ,k] = ⟨P y[k], φ[ℓ]⟩, ds[ℓ] = ⟨σ(z[ℓ]), φ[ℓ+1]⟩ a vector–Jacobian product of the small
    map τ ↦ (C, s) gives dτ.
    """
    tau = net.tau.detach().double().requires_grad_()
    with torch.enable_grad():
        C, s = net.architecture.coefficients(tau, net.config.gamma)
    with torch.no_grad():
        gradients: Gradients = {}
        ds = torch.zeros_like(s)
        for l in range(len(z)):
            inner = s[l].to(z[l].dtype) * phi[l + 1] * net.sigma.slope(z[l])
            gradients[f"W.{l}"] = inner.T @ y[l] + loss.weight_gradient(net.W[l])
            gradients[f"b.{l}"] = inner.sum(0) + loss.bias_gradient(net.b[l])
            ds[l] = torch.vdot(net.sigma.value(z[l]).flatten(), phi[l + 1].flatten())
        last = len(z)
        gradients[f"W.{last}"] = phi[-1].T @ y[last] + loss.weight_gradient(net.W[last])
        gradients["tau"] = coefficient_vjp(tau, (C, s), (_dC(net, C, y, phi), ds)).to(net.dtype)
        gradients["tau"] += loss.tau_gradient(net.tau)
    return gradients


def coefficient_vjp(
    tau: Tensor, outputs: tuple[Tensor, Tensor], cotangents: tuple[Tensor, Tensor]
) -> Tensor:
    """Return dJ/dτ from dJ/dC and dJ/ds by one backward pass through the coefficients; where s is
    τ itself (ResNet) the pass is skipped: it takes a twentieth of a small net's evaluation."""
    pairs = list(zip(outputs, cotangents, strict=True))
    total = torch.zeros_like(tau, requires_grad=False)
    for _, cotangent in (pair for pair in pairs if pair[0] is tau):
        total += cotangent
    live = [(out, cot) for out, cot in pairs if out.requires_grad and out is not tau]
    if live:
        total += torch.autograd.grad([out for out, _ in live], tau, [cot for _, cot in live])[0]
    return total


def _dC(net: Network, C: Tensor, y: list[Tensor], phi: list[Tensor]) -> Tensor:
    dC = torch.zeros_like(C)
    if C.requires_grad:
        for l, terms in enumerate(skip_terms(net, C)):
            for k in terms:
                past = project(y[k], to=net.widths[l])
                dC[l, k] = torch.vdot(past.flatten(), phi[l].flatten())
    return dC
