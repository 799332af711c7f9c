"""The elementwise half of a layer on preallocated buffers, features × rows.

forward    y = c·base + s σ(z + b)        base may have fewer features than y: zeros follow
add        y += s σ(z + b)                on its own, because loops over aliasing arrays are slow
backward   g = s φ ⊙ σ′(z + b), Σ_rows g, ⟨φ, σ(z + b)⟩ and ‖φ‖², in one pass over z and φ

Fused in numba for the paper's smoothReLU, where these passes cost a fifth of the matrix products;
by torch operations for every other activation.
"""

from typing import Protocol

import torch
from torch import Tensor

from nets.activations import ACTIVATIONS, Activation, smooth_relu
from nets.fast.fused import Array, FusedSmoothReLU


class Elementwise(Protocol):
    """The passes of one activation; arrays are (features, rows), b and db (features,)."""

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None: ...

    def add(self, z: Array, b: Array, s: float, y: Array) -> None: ...

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        """Write g, add to db, return ⟨φ, σ⟩ and ‖φ‖²."""


def elementwise(name: str, sigma: Activation, eta: float) -> Elementwise:
    """Return the fused passes of the activation, or torch operations if it has none."""
    if ACTIVATIONS.get(name) is smooth_relu:
        return FusedSmoothReLU(eta)
    return TorchElementwise(sigma)


class TorchElementwise:
    """The passes by torch operations, for any activation of the table."""

    def __init__(self, sigma: Activation) -> None:
        self.sigma = sigma

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None:
        state, carried = torch.from_numpy(y), min(len(base), len(y))
        torch.mul(torch.from_numpy(base[:carried]), c, out=state[:carried])
        state[carried:] = 0
        self.add(z, b, s, y)

    def add(self, z: Array, b: Array, s: float, y: Array) -> None:
        torch.from_numpy(y).add_(self.sigma.value(_argument(z, b)), alpha=s)

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        t, adjoint, out = _argument(z, b), torch.from_numpy(phi), torch.from_numpy(g)
        torch.mul(adjoint, self.sigma.slope(t), out=out).mul_(s)
        torch.from_numpy(db).add_(out.sum(1))
        return float((adjoint * self.sigma.value(t)).sum()), float(adjoint.square().sum())


def _argument(z: Array, b: Array) -> Tensor:
    return torch.from_numpy(z) + torch.from_numpy(b)[:, None]
