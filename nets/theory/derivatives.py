"""Section 6 of the paper: dy[l]/dθ[j] as products and recursions, corrected and complete.

Per sample, with D[i] = ∂a[i]/∂y[i] = diag(σ'(z[i])) W[i], P the projections, and the skips and
scales of `nets.theory.recursions`,

    G[i] = Σ_{k=j+1}^{i-1} skips[i,k] P G[k] + scales[i-1] D[i-1] G[i-1] + source[i]

which reads for the four nets, for i = j+2..l, from G[j+1] = the derivative of layer j's own step,

    feedforward   G[i] = τ[i-1] D[i-1] G[i-1]
    ResNet        G[i] = (P + τ[i-1] D[i-1]) G[i-1]
    DenseNet      G[i] = Σ_{k=j+1}^{i-2} P G[k] + (P + τ[i-1] D[i-1]) G[i-1]
    Fractional    G[i] = Σ_{k=j+1}^{i-2} (A[i-1,k] - A[i-1,k-1]) P G[k]
                         + ((1 - A[i-1,i-2]) P + τ[i-1]^γ Γ(2-γ) D[i-1]) G[i-1] + source[i].

Two corrections (maths 8): the paper prints A[i,·] where the net has A[i-1,·], and the τ-column of
the Fractional-DNN lacks source[i] = -Σ_{k=0}^{i-2} ∂A[i-1,k]/∂τ[j] (P y[k+1] - P y[k]), which is
there for every i ≥ j+1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from base.errors import UserError
from nets.gradients.adjoint import states
from nets.module import Network
from nets.theory.recursions import Recursion, recursion_of


@dataclass(frozen=True)
class Linearised:
    """A net at N points: the quantities the theorems speak of, batched over the points."""

    net: Network
    recursion: Recursion
    y: list[Tensor]  # states y[0..L], (N, n_l)
    a: list[Tensor]  # activations σ(z), (N, n_{l+1})
    slope: list[Tensor]  # σ'(z), (N, n_{l+1})

    @property
    def past(self) -> list[Tensor]:
        """The states y[0..L-1] that later ones sum up; y[0] counts only if the input is carried."""
        return [float(self.net.config.carry_input) * self.y[0], *self.y[1:-1]]

    def D(self, i: int) -> Tensor:
        """∂a[i]/∂y[i] = diag(σ'(z[i])) W[i], (N, n_{i+1}, n_i)."""
        return self.slope[i][:, :, None] * self.net.W[i].detach()

    def P(self, G: Tensor, to: int) -> Tensor:
        """P(·→i) G with i = `to`: rows of (N, n, m) cut, or padded with zeros, to width n_i."""
        width = self.net.widths[to]
        if G.shape[1] >= width:
            return G[:, :width]
        return torch.nn.functional.pad(G, (0, 0, 0, width - G.shape[1]))


def linearise(net: Network, x: Any) -> Linearised:
    """The net at the points x (N, n₀)."""
    y, z = states(net, net.as_batch(x, "x", net.widths[0]))
    a, slope = [net.sigma.value(v) for v in z], [net.sigma.slope(v) for v in z]
    return Linearised(net, recursion_of(net), y, a, slope)


def state_derivatives(
    at: Linearised, l: int, j: int, recursion: Recursion | None = None
) -> dict[str, Tensor]:
    """dy[l]/dθ[j] for θ = W, b, τ and 0 ≤ j < l ≤ L-1.

    "W": (N, n_l, n_{j+1}, n_j), "b": (N, n_l, n_{j+1}), "tau": (N, n_l).
    """
    if not 0 <= j < l < len(at.net.W):
        raise UserError(f"need 0 <= j < l <= {len(at.net.W) - 1}, got j = {j}, l = {l}")
    recursion = recursion or at.recursion
    db = iterate(at, {j + 1: torch.diag_embed(recursion.scales[j] * at.slope[j])}, l, recursion)
    dtau = iterate(at, tau_sources(at, j, recursion), l, recursion)
    return {"W": db[:, :, :, None] * at.y[j][:, None, None, :], "b": db, "tau": dtau[:, :, 0]}


def iterate(
    at: Linearised, sources: dict[int, Tensor], l: int, recursion: Recursion | None = None
) -> Tensor:
    """G[l] = Σ_k skips[l,k] P G[k] + scales[l-1] D[l-1] G[l-1] + sources[l]; no source is zero."""
    by = recursion or at.recursion
    G: dict[int, Tensor] = {}
    for i in range(min(sources), l + 1):
        terms = [by.skips[i, k] * at.P(G[k], to=i) for k in G if by.skips[i, k] != 0]
        terms += [by.scales[i - 1] * at.D(i - 1) @ G[i - 1]] if i - 1 in G else []
        terms += [sources[i]] if i in sources else []
        G[i] = torch.stack(terms).sum(0)
    return G[l]


def tau_sources(at: Linearised, j: int, recursion: Recursion) -> dict[int, Tensor]:
    """What τ[j] does to y[i] directly: Σ_k ∂skips[i,k]/∂τ[j] P y[k] + ∂scales[i-1]/∂τ[j] a[i-1].

    For the ResNet it is a[j] at i = j+1. The paper omits the first sum.
    """
    dskips, dscales = recursion.column(j)
    y = [state[:, :, None] for state in at.past]
    sources = {}
    for i in range(1, len(y)):
        source = dscales[i - 1] * at.a[i - 1][:, :, None]
        for k in range(i):
            if dskips[i, k] != 0:
                source = source + dskips[i, k] * at.P(y[k], to=i)
        sources[i] = source
    return sources
