"""Features in windows towards a straight edge: functions of s = log R / log q, 2θ/π and x₃.

R is the distance from the edge {x₁ = a, x₂ = b} and θ the angle from the middle of the domain's
wedge there. A C² partition of unity in s, one window per level l = 0, 1, …, multiplies the
features σ(w·(s − l, 2θ/π, x₃) + β) of its level: a power of R looks alike on every level, so that
levels of equal size resolve it down to R = q^(last level). A point meets two levels at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from nets.activations import Activation, activation
from nets.residuals.jets import PAIRS, channels

Array = NDArray[np.float64]
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
        chosen, place = self.levels[level], self.wedge.coordinates(x)
        place[0] -= level
        z = torch.from_numpy(chosen.W @ place + chosen.b[:, None])
        value = self.sigma.value(z).numpy()
        window = self._window(level, place[0])
        out = np.empty((channels(order), *z.shape))
        np.multiply(window[0], value, out=out[0])
        if order == "value":
            return out
        first, second = self.wedge.slopes(x)
        slope = self.sigma.slope(z).numpy()
        inner = self._inner(chosen.W, first)
        rise = [window[1] * first[0, j] for j in range(2)] + [None]  # of the window
        for j in range(3):
            np.multiply(window[0] * inner[j], slope, out=out[1 + j])
            if rise[j] is not None:
                out[1 + j] += rise[j] * value
        if order == "second":
            assert self.sigma.curvature is not None
            bend = self.sigma.curvature(z).numpy()
            self._second(out[4:], chosen.W, (window, value, slope, bend, inner), first, second)
        return out

    @staticmethod
    def _inner(W: Array, first: Array) -> list[Array]:
        """The derivatives of w·ξ by x₁, x₂, x₃."""
        plane = [W[:, :1] * first[0, j] + W[:, 1:2] * first[1, j] for j in range(2)]
        return [*plane, W[:, 2:3]]

    @staticmethod
    def _second(
        out: Array, W: Array, parts: tuple[Array, Array, Array, Array, list[Array]],
        first: Array, second: Array,
    ) -> None:  # fmt: skip
        """∂_j∂_k (ω σ(z)) = ω (σ″ z_j z_k + σ′ z_jk) + (ω_j z_k + ω_k z_j) σ′ + ω_jk σ."""
        window, value, slope, bend, inner = parts
        wide = window[0] * bend
        for channel, (j, k) in enumerate(PAIRS):
            np.multiply(wide, inner[j] * inner[k], out=out[channel])
            steep: Array | float = 0.0
            if k < 2:
                steep = window[0] * (W[:, :1] * second[0, j + k] + W[:, 1:2] * second[1, j + k])
                rise = window[2] * first[0, j] * first[0, k] + window[1] * second[0, j + k]
                out[channel] += rise * value
                steep = steep + window[1] * (first[0, j] * inner[k] + first[0, k] * inner[j])
            elif j < 2:
                steep = window[1] * first[0, j] * inner[2]
            out[channel] += steep * slope

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
