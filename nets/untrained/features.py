"""Features σ(w·x + b) with drawn w and b, their jets, and the rows of linear residuals in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from nets.activations import Activation, activation
from nets.residuals.jets import DERIVATIVES, PAIRS, channels, check_served
from nets.residuals.terms import Residuals

Array = NDArray[np.float64]
BLOCK_BYTES = 64 * 2**20  # of rows made at once


@dataclass(frozen=True)
class Features:
    """K features: the weights (K, 3) and biases (K,) of a hidden layer."""

    W: Array
    b: Array
    sigma: Activation

    @classmethod
    def drawn(
        cls, count: int, scale: float, low: Array, high: Array, seed: int, name: str = "tanh"
    ) -> Features:
        """Weights uniform in ±scale over the width of the box, each zero at a point of the box."""
        generator = np.random.Generator(np.random.Philox(seed))
        W = generator.uniform(-scale, scale, (count, 3)) / (high - low)
        centres = low + (high - low) * generator.random((count, 3))
        return cls(W, -np.einsum("kj,kj->k", W, centres), activation(name, 1.0))

    def __len__(self) -> int:
        return len(self.b)

    def jets(self, x: Array, order: str) -> Array:
        """(channels, K, N) at the rows of x (N, 3)."""
        check_served(self.sigma, order)
        value, *more = derivatives(self.sigma, self.W @ x.T + self.b[:, None], order)
        out = np.empty((channels(order), *value.shape))
        out[0] = value
        if order != "value":
            out[1:4] = self.W.T[:, :, None] * more[0]
        if order in ("laplacian", "second"):
            bend, w = more[1], self.W
            factors = [w[:, j] * w[:, k] for j, k in PAIRS]
            if order == "laplacian":
                factors = [(w**2).sum(axis=1)]
            for channel, factor in enumerate(factors, start=4):
                np.multiply(factor[:, None], bend, out=out[channel])
        return out


def derivatives(sigma: Activation, z: Array, order: str) -> list[Array]:
    """σ, σ′ and σ″ at z, as far as a jet needs them. Those of tanh are polynomials in its value."""
    count = DERIVATIVES[order]
    if sigma.name == "tanh":
        value = torch.tanh(torch.from_numpy(z)).numpy()
        found = [value]
        if count > 0:
            found.append(1 - value**2)
        if count > 1:
            found.append(-2 * value * found[1])
        return found
    functions = (sigma.value, sigma.slope, sigma.curvature)[: count + 1]
    return [function(torch.from_numpy(z)).numpy() for function in functions if function is not None]


def blocks(terms: list[Residuals], features: Features) -> Iterator[Array]:
    """The rows [A | b] of the residuals as functions of the output weights, (outputs, K) in one
    vector: the residuals are A c − b. Terms with test functions are not served."""
    for term in terms:
        assert term.test is None, "random features take residuals at points"
        rows, _, outputs, N = term.A.shape
        size = max(1, BLOCK_BYTES // (8 * rows * (outputs * len(features) + 1)))
        for first in range(0, N, size):
            part = slice(first, min(N, first + size))
            jets = features.jets(term.x[part], term.order)
            yield rows_of(term.A[..., part], term.b[:, part], jets)


def rows_of(A: Array, b: Array, jets: Array) -> Array:
    """[Σ_c A[m, c, i, n] jets[c, k, n] | b[m, n]], (rows · N, outputs · K + 1), columns contiguous
    as LAPACK takes them; jets (channels, K, N)."""
    rows, _, outputs, N = A.shape
    K = jets.shape[1]
    out = np.zeros((outputs * K + 1, rows * N))
    out[-1] = b.ravel()
    columns, part = out[:-1].reshape(outputs, K, rows, N), np.empty((K, N))
    for m, c, i in np.argwhere(A.any(axis=3)):
        columns[i, :, m] += np.multiply(A[m, c, i], jets[c], out=part)
    return out.T
