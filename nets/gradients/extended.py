"""Numbers that may leave the range of floats: mantissa · 2^exponent, one exponent per tensor.

A DenseNet of 200 layers at τ = 1 has states of 1e74 and gradients of 1e222, and a norm squares
them. Here they do not overflow. Within float64's range results are the plain ones to
rounding. Mantissas may be float32 as well, where a wide net would take too long otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

RESCALE_BEYOND = {torch.float64: 200, torch.float32: 20}  # binary digits
# The smaller of two numbers further apart than this is negligible.
LARGEST_SHIFT = {torch.float64: 1000, torch.float32: 100}


@dataclass(frozen=True)
class Scaled:
    """mantissa · 2^exponent."""

    mantissa: Tensor
    exponent: int = 0

    def peak(self) -> float:
        """The largest |mantissa|; 0 for an empty tensor."""
        return float(self.mantissa.abs().max()) if self.mantissa.numel() else 0.0

    def balanced(self) -> Scaled:
        """The same numbers with entries of moderate size."""
        peak = self.peak()
        shift = math.frexp(peak)[1] if 0.0 < peak < math.inf else 0
        if abs(shift) <= RESCALE_BEYOND[self.mantissa.dtype]:
            return self
        return Scaled(times_power(self.mantissa, -shift), self.exponent + shift)

    def plus(self, other: Scaled) -> Scaled:
        """The sum, in the larger exponent."""
        small, large = sorted((self, other), key=lambda number: number.exponent)
        shifted = times_power(small.mantissa, small.exponent - large.exponent)
        return Scaled(large.mantissa + shifted, large.exponent)

    def plain(self) -> Tensor:
        """Return the numbers as float64: inf (or 0) where that does not fit."""
        half = self.exponent // 2  # in two steps, because 2^exponent itself may not fit
        return times_power(times_power(self.mantissa, half), self.exponent - half)

    def log10_norm(self) -> float:
        """log₁₀ of the Frobenius norm, -inf for zero; squares neither overflow nor underflow."""
        peak = self.peak()
        if not 0.0 < peak < math.inf:
            return -math.inf if peak == 0.0 else peak
        shift = math.frexp(peak)[1]
        norm = float(times_power(self.mantissa, -shift).norm())
        return math.log10(norm) + (self.exponent + shift) * math.log10(2.0)


def times_power(value: Tensor, exponent: int) -> Tensor:
    """value · 2^exponent up to LARGEST_SHIFT; beyond that 0, or as if it were the largest."""
    if exponent == 0:
        return value
    return value * math.ldexp(1.0, max(min(exponent, LARGEST_SHIFT[value.dtype]), -1080))


class WeightedStates:
    """Σ_{k<l} weights[l,k] y[k] for l = 1, 2, …, as the states y[0], y[1], … become known.

    The states lie in one buffer, padded to the widest, so that each sum is one product.
    """

    def __init__(
        self, weights: Tensor, rows: int, width: int, dtype: torch.dtype = torch.float64
    ) -> None:
        self.weights = weights
        self.buffer = torch.zeros(len(weights), rows, width, dtype=dtype)
        self.exponents: list[int] = []

    def append(self, y: Scaled) -> Scaled:
        """Store the next state and return it as a view of the buffer."""
        slot = self.buffer[len(self.exponents), :, : y.mantissa.shape[1]]
        slot.copy_(y.mantissa)
        self.exponents.append(y.exponent)
        return Scaled(slot, y.exponent)

    def recall(self, width: int) -> Scaled | None:
        """Σ_k weights[l,k] P y[k] for the next l, cut to `width`; None where no weight is set."""
        l = len(self.exponents)
        known = self.weights[l, :l].nonzero()
        if not len(known):
            return None
        first = int(known[0])
        exponents = torch.tensor(self.exponents[first:], dtype=torch.float64)
        top = int(exponents.max())
        shifts = (exponents - top).clamp(min=-1080)
        shifted = (self.weights[l, first:l] * 2.0**shifts).to(self.buffer.dtype)
        return Scaled(torch.tensordot(shifted, self.buffer[first:l, :, :width], dims=1), top)

    def inner_products(self, other: WeightedStates) -> Scaled:
        """⟨y[k], other.y[l]⟩ as a matrix [l, k], in one common exponent."""
        n, m = len(self.exponents), len(other.exponents)
        width = max(self.buffer.shape[2], other.buffer.shape[2])
        a = pad(self.buffer[:n], (0, width - self.buffer.shape[2])).flatten(1)
        b = pad(other.buffer[:m], (0, width - other.buffer.shape[2])).flatten(1)
        shifts = torch.tensor(other.exponents)[:, None] + torch.tensor(self.exponents)[None, :]
        top = int(shifts.max())
        return Scaled((b @ a.T) * 2.0 ** (shifts - top).double(), top)
