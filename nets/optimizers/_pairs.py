"""The last pairs (s, y) of a quasi-Newton method with limited memory, and their product with g."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from nets.optimizers import Vector


class Pairs:
    """The last `memory` pairs (s, y) with their ρ, in a ring."""

    def __init__(self, memory: int, size: int) -> None:
        self.S, self.Y = np.zeros((memory, size)), np.zeros((memory, size))
        self.rho, self.sy = np.ones(memory), np.ones(memory)
        self.count, self.scale = 0, 1.0

    def add(self, s: Vector, y: Vector, sBs: float) -> None:
        sy = float(s @ y)
        if sy <= 1e-14 * float(np.linalg.norm(s) * np.linalg.norm(y)):
            return
        at = self.count % len(self.sy)
        self.S[at], self.Y[at], self.sy[at] = s, y, sy
        self.rho[at] = max(1.0, sBs / sy)
        self.count += 1
        oldest = self.count % len(self.sy) if self.count > len(self.sy) else 0
        self.rho[oldest] = 1.0
        self.scale = self.sy[oldest] / float(self.Y[oldest] @ self.Y[oldest])

    def product(self, gradient: Vector) -> Vector:
        """H g."""
        if self.count == 0:
            return gradient.copy()
        kept = min(self.count, len(self.sy))
        newest_first = np.array([(self.count - 1 - k) % len(self.sy) for k in range(kept)])
        return _two_loops(self.S, self.Y, self.rho, self.sy, newest_first, self.scale, gradient)


@numba.njit(fastmath={"reassoc", "contract"}, cache=True, nogil=True)
def _two_loops(
    S: NDArray[np.float64],
    Y: NDArray[np.float64],
    rho: Vector,
    sy: Vector,
    newest_first: NDArray[np.int64],
    scale: float,
    gradient: Vector,
) -> Vector:
    """Nocedal's two loops, with the scaling ρ of each stage in between."""
    q = gradient.copy()
    alpha = np.zeros(sy.size)
    for k in newest_first:
        alpha[k] = np.dot(S[k], q) / sy[k]
        q -= alpha[k] * Y[k]
    q *= scale
    for k in newest_first[::-1]:
        q *= rho[k]
        q += (alpha[k] - np.dot(Y[k], q) / sy[k]) * S[k]
    return q
