"""Section 6 of the paper: dy[l]/dθ[j] as products and recursions, corrected and complete.

Per sample, with D[i] = ∂a[i]/∂y[i] = diag(σ'(z[i])) W[i] and P the projections:

    feedforward   G[i] = τ[i-1] D[i-1] G[i-1]
    ResNet        G[i] = (P + τ[i-1] D[i-1]) G[i-1]
    DenseNet      G[i] = Σ_{k=j+1}^{i-2} P G[k] + (P + τ[i-1] D[i-1]) G[i-1]
    Fractional    G[i] = Σ_{k=j+1}^{i-2} (A[i-1,k] - A[i-1,k-1]) P G[k]
                         + ((1 - A[i-1,i-2]) P + τ[i-1]^γ Γ(2-γ) D[i-1]) G[i-1] + source[i]

for i = j+2..l, from G[j+1] = the derivative of layer j's own step. Two corrections (maths 8): the
paper prints A[i,·] where the net has A[i-1,·], and the τ-column of the Fractional-DNN lacks
source[i] = -Σ_{k=0}^{i-2} ∂A[i-1,k]/∂τ[j] (P y[k+1] - P y[k]), for every i ≥ j+1.

Written from the theorems and not from the kernel's C and s, so that either can check the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import gamma as Gamma
from typing import Any

import torch
from torch import Tensor

from nets.errors import InputError
from nets.fractional.caputo import memory_weight_derivatives
from nets.fractional.weights import memory_weights
from nets.gradients.adjoint import states
from nets.module import Network


@dataclass(frozen=True)
class Linearised:
    """A net at N points: the quantities the theorems speak of, batched over the points."""

    net: Network
    tau: Tensor
    y: list[Tensor]  # states y[0..L], (N, n_l)
    a: list[Tensor]  # activations σ(z), (N, n_{l+1})
    slope: list[Tensor]  # σ'(z), (N, n_{l+1})

    @property
    def gamma(self) -> float:
        return self.net.config.gamma

    @cached_property
    def A(self) -> Tensor:
        """Memory weights A[l,j]."""
        return memory_weights(self.tau, self.gamma)

    @cached_property
    def dA(self) -> Tensor:
        """∂A[l,j]/∂τ[i]."""
        return memory_weight_derivatives(self.tau, self.gamma)

    def D(self, i: int) -> Tensor:
        """∂a[i]/∂y[i] = diag(σ'(z[i])) W[i], (N, n_{i+1}, n_i)."""
        return self.slope[i][:, :, None] * self.net.W[i].detach()

    def P(self, G: Tensor, to: int) -> Tensor:
        """P(·→i) G with i = `to`: rows of (N, n, m) cut, or padded with zeros, to width n_i."""
        width = self.net.widths[to]
        if G.shape[1] >= width:
            return G[:, :width]
        return torch.nn.functional.pad(G, (0, 0, 0, width - G.shape[1]))

    def scale(self, i: int) -> Tensor:
        """τ[i]^γ Γ(2-γ), which multiplies a[i] in the Fractional-DNN."""
        return self.tau[i] ** self.gamma * Gamma(2.0 - self.gamma)


def linearise(net: Network, x: Any) -> Linearised:
    """The net at the points x (N, n₀)."""
    y, z = states(net, net.as_batch(x, "x", net.widths[0]))
    a, slope = [net.sigma.value(v) for v in z], [net.sigma.slope(v) for v in z]
    return Linearised(net, net.tau.detach().double(), y, a, slope)


# A step gives the homogeneous part of G[i] from G[j+1], …, G[i-1], as its theorem states it.
Past = dict[int, Tensor]
Step = Callable[[Linearised, Past, int], Tensor]


def feedforward_step(at: Linearised, G: Past, i: int) -> Tensor:
    """τ[i-1] D[i-1] G[i-1]."""
    return at.tau[i - 1] * at.D(i - 1) @ G[i - 1]


def resnet_step(at: Linearised, G: Past, i: int) -> Tensor:
    """(P + τ[i-1] D[i-1]) G[i-1]."""
    return at.P(G[i - 1], to=i) + at.tau[i - 1] * at.D(i - 1) @ G[i - 1]


def densenet_step(at: Linearised, G: Past, i: int) -> Tensor:
    """Σ_{k=j+1}^{i-2} P G[k] + (P + τ[i-1] D[i-1]) G[i-1]."""
    return resnet_step(at, G, i) + sum(at.P(G[k], to=i) for k in G if k <= i - 2)


def fractional_step(at: Linearised, G: Past, i: int) -> Tensor:
    """Σ_k (A[i-1,k] - A[i-1,k-1]) P G[k] + ((1 - A[i-1,i-2]) P + τ[i-1]^γ Γ(2-γ) D[i-1]) G[i-1]."""
    A = at.A[i - 1]
    memory = sum((A[k] - A[k - 1]) * at.P(G[k], to=i) for k in G if k <= i - 2)
    own = (1.0 - A[i - 2]) * at.P(G[i - 1], to=i) + at.scale(i - 1) * at.D(i - 1) @ G[i - 1]
    return own + memory


THEOREMS: dict[str, Step] = {
    "feedforward": feedforward_step,
    "resnet": resnet_step,
    "densenet": densenet_step,
    "fractional": fractional_step,
}


def state_derivatives(
    at: Linearised, l: int, j: int, step: Step | None = None
) -> dict[str, Tensor]:
    """dy[l]/dθ[j] for θ = W, b, τ and 0 ≤ j < l ≤ L-1, by the theorem of the net's architecture.

    "W": (N, n_l, n_{j+1}, n_j), "b": (N, n_l, n_{j+1}), "tau": (N, n_l).
    """
    if not 0 <= j < l < len(at.net.W):
        raise InputError(f"need 0 <= j < l <= {len(at.net.W) - 1}, got j = {j}, l = {l}")
    step = step or THEOREMS[at.net.config.net]
    own = own_step_derivatives(at, j)
    db = iterate(at, step, own["b"], j, l)
    dtau = iterate(at, step, own["tau"][:, :, None], j, l, tau_sources(at, j))
    return {"W": db[:, :, :, None] * at.y[j][:, None, None, :], "b": db, "tau": dtau[:, :, 0]}


def iterate(
    at: Linearised, step: Step, start: Tensor, j: int, l: int, sources: Past | None = None
) -> Tensor:
    """G[l] from G[j+1] = start (+ source[j+1]) by the step of a theorem."""
    sources = sources or {}
    G = {j + 1: start + sources.get(j + 1, 0.0)}
    for i in range(j + 2, l + 1):
        G[i] = step(at, G, i) + sources.get(i, 0.0)
    return G[l]


def own_step_derivatives(at: Linearised, j: int) -> dict[str, Tensor]:
    """∂/∂b[j] and ∂/∂τ[j] of layer j's own step s[j] a[j] (its ∂/∂W[j] is ∂/∂b[j] times y[j])."""
    fractional = at.net.config.net == "fractional"
    scale = at.scale(j) if fractional else at.tau[j]
    slope = at.gamma * at.scale(j) / at.tau[j] if fractional else torch.ones(())
    return {"b": torch.diag_embed(scale * at.slope[j]), "tau": slope * at.a[j]}


def tau_sources(at: Linearised, j: int) -> Past:
    """source[i] = -Σ_{k=0}^{i-2} ∂A[i-1,k]/∂τ[j] (P y[k+1] - P y[k]): what the paper omits."""
    if at.net.config.net != "fractional":
        return {}
    carried = float(at.net.config.carry_input)
    y = [carried * at.y[0][:, :, None], *(state[:, :, None] for state in at.y[1:-1])]
    sources = {}
    for i in range(max(j + 1, 2), len(y)):
        jumps = torch.stack([at.P(y[k + 1], to=i) - at.P(y[k], to=i) for k in range(i - 1)])
        sources[i] = -torch.tensordot(at.dA[i - 1, : i - 1, j], jumps, dims=1)
    return sources


def parameter_gradients_by_theory(at: Linearised, phi_L: Tensor) -> dict[str, Tensor]:
    """∂J/∂θ[j] = Σ_samples (dy[L]/dθ[j])ᵀ φ[L] for every j, through dy[L] = W[L-1] dy[L-1].

    Costs O(L³) products: for tests and small nets, where it meets the adjoint to rounding.
    """
    last = len(at.net.b)
    phi = phi_L @ at.net.W[last].detach()
    gradients = {f"W.{last}": phi_L.T @ at.y[last], "tau": torch.zeros(last, dtype=phi.dtype)}
    for j in range(last):
        d = state_derivatives(at, last, j)
        gradients[f"W.{j}"] = torch.einsum("sa,sabc->bc", phi, d["W"])
        gradients[f"b.{j}"] = torch.einsum("sa,sab->b", phi, d["b"])
        gradients["tau"][j] = torch.einsum("sa,sa->", phi, d["tau"])
    return gradients


def three_layer_example(at: Linearised) -> Tensor:
    """The factor of ∂_θ[0] (own step) in dy[3]/dθ[0], multiplied out as in the paper's Example.

    Equal widths. For the Fractional-DNN with the corrected index,
    (1 - A10 - A20 + A10 A21) I + (1 - A21) s1 D1 + (1 - A10) s2 D2 + s1 s2 D2 D1.
    """
    if at.net.config.hidden < 3 or len(set(at.net.widths[1:4])) > 1:
        raise InputError("the Example needs at least 3 hidden layers of one width")
    kind, D1, D2 = at.net.config.net, at.D(1), at.D(2)
    identity = torch.eye(D1.shape[1], dtype=D1.dtype)
    if kind == "fractional":
        s1, s2, A = at.scale(1), at.scale(2), at.A
        constant = 1.0 - A[1, 0] - A[2, 0] + A[1, 0] * A[2, 1]
        linear = (1.0 - A[2, 1]) * s1 * D1 + (1.0 - A[1, 0]) * s2 * D2
        return constant * identity + linear + s1 * s2 * D2 @ D1
    quadratic = at.tau[1] * at.tau[2] * D2 @ D1
    if kind == "feedforward":
        return quadratic
    paths = {"resnet": 1.0, "densenet": 2.0}[kind]
    return paths * identity + at.tau[1] * D1 + at.tau[2] * D2 + quadratic
