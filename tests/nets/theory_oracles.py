"""Section 6 of the paper written out another way: for small nets, as oracles of these tests."""

import math

import torch

from nets.fractional.weights import memory_weights
from nets.theory.derivatives import state_derivatives


def parameter_gradients_by_theory(at, phi_L):
    """∂J/∂θ[j] = Σ_samples (dy[L]/dθ[j])ᵀ φ[L] for every j, through dy[L] = W[L-1] dy[L-1]."""
    last = len(at.net.b)
    phi = phi_L @ at.net.W[last].detach()
    gradients = {f"W.{last}": phi_L.T @ at.y[last], "tau": torch.zeros(last, dtype=phi.dtype)}
    for j in range(last):
        d = state_derivatives(at, last, j)
        gradients[f"W.{j}"] = torch.einsum("sa,sabc->bc", phi, d["W"])
        gradients[f"b.{j}"] = torch.einsum("sa,sab->b", phi, d["b"])
        gradients["tau"][j] = torch.einsum("sa,sa->", phi, d["tau"])
    return gradients


def three_layer_example(at):
    """The factor of ∂_θ[0] (own step) in dy[3]/dθ[0], multiplied out as in the paper's Example.

    Three hidden layers of one width. For the Fractional-DNN with the corrected index,
    (1 - A10 - A20 + A10 A21) I + (1 - A21) s1 D1 + (1 - A10) s2 D2 + s1 s2 D2 D1.
    """
    kind, D1, D2 = at.net.config.net, at.D(1), at.D(2)
    tau, gamma = at.net.tau.detach(), at.net.config.gamma
    identity = torch.eye(D1.shape[1], dtype=D1.dtype)
    if kind == "fractional":
        s1, s2 = tau[1:] ** gamma * math.gamma(2.0 - gamma)
        A = memory_weights(tau, gamma)
        constant = 1.0 - A[1, 0] - A[2, 0] + A[1, 0] * A[2, 1]
        linear = (1.0 - A[2, 1]) * s1 * D1 + (1.0 - A[1, 0]) * s2 * D2
        return constant * identity + linear + s1 * s2 * D2 @ D1
    quadratic = tau[1] * tau[2] * D2 @ D1
    if kind == "feedforward":
        return quadratic
    paths = {"resnet": 1.0, "densenet": 2.0}[kind]
    return paths * identity + tau[1] * D1 + tau[2] * D2 + quadratic
