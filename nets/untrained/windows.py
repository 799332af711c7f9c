"""Features in windows towards a straight edge: functions of s = log R / log q, 2θ/π and x₃.

R is the distance from the edge {x₁ = a, x₂ = b} and θ the angle from the middle of the domain's
wedge there. A C² partition of unity in s, one window per level l = 0, 1, …, multiplies the
features σ(w·(s − l, 2θ/π, x₃) + β) of its level: a power of R looks alike on every level, so that
levels of equal size resolve it down to R = q^(last level). A point meets two levels at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nets.activations import Activation, activation
from nets.residuals.jets import DERIVATIVES, PAIRS, channels
from nets.untrained.features import derivatives

Array = NDArray[np.float64]
PARTS = (slice(0, 1), slice(1, 4), slice(4, 10))  # channels of a jet by the order of derivatives
OUTERMOST = -0.25  # s at R = √2, with q = ¼


@dataclass(frozen=True)
class Wedge:
    """The edge (a, b), the angle of the middle of the wedge, its opening, and the ratio q."""

    edge: tuple[float, float]
    middle: float
    opening: float
    ratio: float

    def arms(self, x: Array) -> tuple[Array, Array]:
        """x₁ − a and x₂ − b at points (3, N)."""
        return x[0] - self.edge[0], x[1] - self.edge[1]

    def level(self, x: Array) -> Array:
        """s = log R / log q."""
        return np.log(np.hypot(*self.arms(x))) / np.log(self.ratio)

    def coordinates(self, x: Array) -> Array:
        """(s, 2θ/π, x₃)."""
        p1, p2 = self.arms(x)
        c, d = np.cos(self.middle), np.sin(self.middle)
        angle = np.arctan2(c * p2 - d * p1, c * p1 + d * p2)
        return np.stack([self.level(x), 2 / np.pi * angle, x[2]])

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """First derivatives (2, 2, N) of s and 2θ/π by x₁ and x₂, and second ones (2, 3, N) by
        x₁x₁, x₁x₂, x₂x₂: log R + iθ is an analytic function of x₁ + i x₂."""
        p1, p2 = self.arms(x)
        inverse = 1 / (p1 + 1j * p2)  # (log ζ)′; (log ζ)″ = −1/ζ²
        first = np.stack([[inverse.real, -inverse.imag], [inverse.imag, inverse.real]])
        square = -(inverse**2)
        second = np.stack(
            [[square.real, -square.imag, -square.real], [square.imag, square.real, -square.imag]]
        )
        factors = np.array([1 / np.log(self.ratio), 2 / np.pi]).reshape(2, 1, 1)
        return first * factors, second * factors


@dataclass(frozen=True)
class Level:
    """The hidden weights (K, 3) and biases (K,) of one window.

    The first `vectors` features have a vector as coefficient, and the gradients of the first
    `gradients` features a number; K is the larger of the two.
    """

    W: Array
    b: Array
    vectors: int
    gradients: int

    @property
    def unknowns(self) -> int:
        return 3 * self.vectors + self.gradients


@dataclass(frozen=True)
class Windows:
    """All levels; the last window does not end."""

    wedge: Wedge
    levels: tuple[Level, ...]
    sigma: Activation

    @classmethod
    def drawn(
        cls, wedge: Wedge, counts: list[tuple[int, int]], scale: float, seed: int, name: str
    ) -> Windows:
        """Features by level as (vectors, gradients). Weights are uniform in ±scale; each feature is
        zero at a point where its window is not."""
        generator = np.random.Generator(np.random.Philox(seed))
        half = wedge.opening / np.pi
        levels = []
        for place, (vectors, gradients) in enumerate(counts):
            low = np.array([-1.0 if place else OUTERMOST, -half, 0.0])
            K = max(vectors, gradients)
            W = generator.uniform(-scale, scale, (K, 3))
            centres = low + (np.array([1.0, half, 1.0]) - low) * generator.random((K, 3))
            b = -np.einsum("kj,kj->k", W, centres)
            levels.append(Level(W, b, vectors, gradients))
        return cls(wedge, tuple(levels), activation(name, 1.0))

    def cells(self, x: Array) -> NDArray[np.int64]:
        """j where the windows j and j + 1 share a point, at points (3, N)."""
        return np.clip(np.floor(self.wedge.level(x)), 0, len(self.levels) - 1).astype(np.int64)

    def met(self, cell: int) -> list[int]:
        """The levels of a cell."""
        return [level for level in (cell, cell + 1) if level < len(self.levels)]

    def jets(self, level: int, x: Array, order: str) -> Array:
        """(channels, K, N) of the features of a level at points (3, N); order not "laplacian"."""
        chain, sigmas = self._at(level, x, order)
        W = self.levels[level].W
        out = np.zeros((len(chain), *sigmas[0].shape))
        for part, sigma in zip(PARTS, sigmas, strict=False):
            factors = _factors(W, part)
            for channel in np.flatnonzero(chain[:, part].any(axis=(1, 2))):
                out[channel] += (factors @ chain[channel, part]) * sigma
        return out

    def sums(self, level: int, x: Array, orders: dict[str, Array]) -> list[Array]:
        """The jets (channels, M, N) of M sums of features with the coefficients (M, k), for several
        orders; the first k features are summed, and those of a level are evaluated once.

        Only (channels, M, N) numbers are made: the coefficients are summed before the chain rule.
        """
        chain, sigmas = self._at(level, x, max(orders, key=channels))
        W = self.levels[level].W
        found = []
        for order, C in orders.items():
            (M, K), count = C.shape, channels(order)
            by_place = np.empty((count, M, x.shape[1]))
            for part, sigma in zip(PARTS[: DERIVATIVES[order] + 1], sigmas, strict=False):
                weights = C * _factors(W[:K], part).T[:, None]  # (c, M, K)
                summed = weights.reshape(len(weights) * M, K) @ sigma[:K]
                by_place[part] = summed.reshape(len(weights), M, -1)
            out = np.zeros(by_place.shape)
            for c, d in np.argwhere(chain[:count, :count].any(axis=2)):
                out[c] += chain[c, d] * by_place[d]
            found.append(out)
        return found

    def _at(self, level: int, x: Array, order: str) -> tuple[Array, list[Array]]:
        """The chain rule of a level, and σ, σ′, σ″ of its features (K, N)."""
        chosen, place = self.levels[level], self.wedge.coordinates(x)
        place[0] -= level
        window = self._window(level, place[0])
        sigmas = derivatives(self.sigma, chosen.W @ place + chosen.b[:, None], order)
        return _chain(window, *self.wedge.slopes(x), channels(order)), sigmas

    def _window(self, level: int, d: Array) -> Array:
        """ω, ω′, ω″ as functions of d = s − l: 1 at 0, 0 beyond ±1; flat outside the ends."""
        if level == 0:
            d = np.maximum(d, 0.0)
        if level == len(self.levels) - 1:
            d = np.minimum(d, 0.0)
        t = np.clip(1 - np.abs(d), 0.0, 1.0)
        down = -np.sign(d)
        return np.stack(
            [
                t**3 * (10 - 15 * t + 6 * t**2),
                30 * t**2 * (1 - t) ** 2 * down,
                60 * t * (1 - t) * (1 - 2 * t),
            ]
        )


def _factors(W: Array, part: slice) -> Array:
    """(K, c): the derivatives of σ(w·ξ + β) by ξ over σ, σ′ or σ″, for the channels of a part."""
    columns = [np.ones(len(W)), *W.T, *(W[:, a] * W[:, b] for a, b in PAIRS)]
    return np.stack(columns[part], axis=1)


def _chain(window: Array, first: Array, second: Array, count: int) -> Array:
    """(count, count, N): from the jet of S by ξ to that of ω S by x.

    ∂_j(ωS) = ω_j S + ω Σ_a ξ_{a,j} S_a and ∂_j∂_k(ωS) = ω_jk S + Σ_a (ω ξ_{a,jk} + ω_j ξ_{a,k} +
    ω_k ξ_{a,j}) S_a + ω Σ_ab ξ_{a,j} ξ_{b,k} S_ab.
    """
    out = np.zeros((count, count, window.shape[1]))
    out[0, 0] = window[0]
    if count == 1:
        return out
    slope = np.zeros((3, 3, window.shape[1]))  # [a, j] = ∂_j ξ_a
    slope[:2, :2], slope[2, 2] = first, 1.0
    rise = window[1] * slope[0]  # ω_j
    out[1:4, 0] = rise
    out[1:4, 1:4] = window[0] * np.swapaxes(slope, 0, 1)
    if count == 4:
        return out
    for row, (j, k) in enumerate(PAIRS, 4):
        out[row, 0] = window[2] * slope[0, j] * slope[0, k]
        out[row, 1:4] = rise[j] * slope[:, k] + rise[k] * slope[:, j]
        if k < 2:
            out[row, 0] += window[1] * second[0, j + k]
            out[row, 1:3] += window[0] * second[:, j + k]
        for column, (a, b) in enumerate(PAIRS, 4):
            both = slope[a, j] * slope[b, k]
            if a != b:
                both = both + slope[b, j] * slope[a, k]
            out[row, column] = window[0] * both
    return out
