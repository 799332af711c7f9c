"""The elementwise half of a layer on preallocated buffers, features × rows.

forward    y = c·base + s σ(z + b)            base may be y itself, or have fewer rows (padding)
backward   g = s φ ⊙ σ′(z + b),  Σ_rows g,  ⟨φ, σ(z + b)⟩,  ‖φ‖²   in one pass over z and φ

Fused in numba for the paper's smoothReLU, where the passes cost a quarter of the matrix products;
by torch operations for every other activation.
"""

from typing import Protocol

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nets.activations import ACTIVATIONS, Activation, smooth_relu

Array = NDArray[np.floating]

# Sums may be reordered (the order is then fixed in the machine code), but NaN and inf must stay
# what they are: no nnan, no ninf.
REORDERED_SUMS = {"reassoc", "contract", "arcp", "nsz"}


class Elementwise(Protocol):
    """One activation's two passes; arrays are (features, rows), b and db are (features,)."""

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None: ...

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        """Writes g, adds to db, returns ⟨φ, σ⟩ and ‖φ‖²."""


def elementwise(name: str, sigma: Activation, eta: float) -> Elementwise:
    """The fused passes where they exist."""
    if ACTIVATIONS.get(name) is smooth_relu:
        return FusedSmoothReLU(eta)
    return TorchElementwise(sigma)


class FusedSmoothReLU:
    """d = clamp((z+η)/2η, 0, 1), σ = η d² + max(z−η, 0), σ′ = d."""

    def __init__(self, eta: float) -> None:
        self.eta = eta

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None:
        real = z.dtype.type
        _smooth_relu_forward(z, b, real(s), base, real(c), real(self.eta), y)

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        real = z.dtype.type
        return _smooth_relu_backward(z, b, real(s), phi, real(self.eta), g, db)


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _smooth_relu_forward(z, b, s, base, c, eta, y):  # type: ignore[no-untyped-def]
    zero, one, scale = z.dtype.type(0), z.dtype.type(1), z.dtype.type(0.5) / eta
    for i in range(z.shape[0]):
        carried = i < base.shape[0]
        for j in range(z.shape[1]):
            t = z[i, j] + b[i]
            d = (t + eta) * scale
            # Written so that a NaN passes through every comparison.
            d = zero if d < zero else d
            d = one if d > one else d
            r = t - eta
            r = zero if r < zero else r
            value = s * (eta * d * d + r)
            y[i, j] = c * base[i, j] + value if carried else value


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _smooth_relu_backward(z, b, s, phi, eta, g, db):  # type: ignore[no-untyped-def]
    zero, one, scale = z.dtype.type(0), z.dtype.type(1), z.dtype.type(0.5) / eta
    inner, square = 0.0, 0.0
    for i in range(z.shape[0]):
        row_g, row_inner, row_square = zero, zero, zero
        for j in range(z.shape[1]):
            t = z[i, j] + b[i]
            d = (t + eta) * scale
            d = zero if d < zero else d
            d = one if d > one else d
            r = t - eta
            r = zero if r < zero else r
            p = phi[i, j]
            step = s * p * d
            g[i, j] = step
            row_g += step
            row_inner += p * (eta * d * d + r)
            row_square += p * p
        db[i] += row_g
        inner += row_inner
        square += row_square
    return inner, square


class TorchElementwise:
    """Any activation of the table."""

    def __init__(self, sigma: Activation) -> None:
        self.sigma = sigma

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None:
        state = s * self.sigma.value(_argument(z, b))
        carried = min(len(base), len(y))
        state[:carried] += c * torch.from_numpy(base[:carried])
        torch.from_numpy(y).copy_(state)

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        t, adjoint, out = _argument(z, b), torch.from_numpy(phi), torch.from_numpy(g)
        torch.mul(adjoint, self.sigma.slope(t), out=out).mul_(s)
        torch.from_numpy(db).add_(out.sum(1))
        value = self.sigma.value(t)
        return float((adjoint * value).sum()), float((adjoint * adjoint).sum())


def _argument(z: Array, b: Array) -> Tensor:
    return torch.from_numpy(z) + torch.from_numpy(b)[:, None]
