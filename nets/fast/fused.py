"""The passes of the paper's smoothReLU, fused in numba."""

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]
# Sums may be reordered (to an order that the machine code then fixes), but NaN and inf must stay
# what they are: neither nnan nor ninf.
REORDERED_SUMS = {"reassoc", "contract", "arcp", "nsz"}


class FusedSmoothReLU:
    """d = clamp((z+η)/2η, 0, 1), σ = η d² + max(z−η, 0), σ′ = d."""

    def __init__(self, eta: float) -> None:
        self.eta = eta

    def forward(self, z: Array, b: Array, s: float, base: Array, c: float, y: Array) -> None:
        real = z.dtype.type
        _forward(z, b, real(s), base, real(c), real(self.eta), y)

    def add(self, z: Array, b: Array, s: float, y: Array) -> None:
        real = z.dtype.type
        _add(z, b, real(s), real(self.eta), y)

    def backward(
        self, z: Array, b: Array, s: float, phi: Array, g: Array, db: Array
    ) -> tuple[float, float]:
        real = z.dtype.type
        return _backward(z, b, real(s), phi, real(self.eta), g, db)


@numba.njit(inline="always")
def _smooth_relu(t, eta, scale, zero, one):  # type: ignore[no-untyped-def]
    """σ(t) and σ′(t), with scale = 1/2η; written so that NaN propagates through comparisons."""
    d = (t + eta) * scale
    d = zero if d < zero else d
    d = one if d > one else d
    r = t - eta
    r = zero if r < zero else r
    return eta * d * d + r, d


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _forward(z, b, s, base, c, eta, y):  # type: ignore[no-untyped-def]
    zero, one, scale = z.dtype.type(0), z.dtype.type(1), z.dtype.type(0.5) / eta
    carried = min(len(base), len(y))
    for i in range(carried):
        for j in range(z.shape[1]):
            value, _ = _smooth_relu(z[i, j] + b[i], eta, scale, zero, one)
            y[i, j] = c * base[i, j] + s * value
    for i in range(carried, len(y)):
        for j in range(z.shape[1]):
            value, _ = _smooth_relu(z[i, j] + b[i], eta, scale, zero, one)
            y[i, j] = s * value


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _add(z, b, s, eta, y):  # type: ignore[no-untyped-def]
    zero, one, scale = z.dtype.type(0), z.dtype.type(1), z.dtype.type(0.5) / eta
    for i in range(len(y)):
        for j in range(z.shape[1]):
            value, _ = _smooth_relu(z[i, j] + b[i], eta, scale, zero, one)
            y[i, j] += s * value


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _backward(z, b, s, phi, eta, g, db):  # type: ignore[no-untyped-def]
    zero, one, scale = z.dtype.type(0), z.dtype.type(1), z.dtype.type(0.5) / eta
    inner, square = 0.0, 0.0
    for i in range(z.shape[0]):
        row_g, row_inner, row_square = zero, zero, zero
        for j in range(z.shape[1]):
            value, slope = _smooth_relu(z[i, j] + b[i], eta, scale, zero, one)
            p = phi[i, j]
            step = s * p * slope
            g[i, j] = step
            row_g += step
            row_inner += p * value
            row_square += p * p
        db[i] += row_g
        inner += row_inner
        square += row_square
    return inner, square
