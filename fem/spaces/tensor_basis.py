"""One-dimensional polynomial spaces of the p-version and their common modes.

On n equal cells of (0, 1) take V = continuous piecewise P_p (across an edge) and Q = piecewise
P_{p−1} (along it), so that d/dx : V → Q is onto. The generalised eigenproblem

    (c_k′, c_l′) = κ_k² (c_k, c_l),   (c_k, c_l) = δ_kl,   0 = κ_0 < κ_1 ≤ … ≤ κ_np

gives modes c_k of V, and s_k = c_k′/κ_k (k ≥ 1) is an orthonormal basis of Q: what cosines and
sines are on the line, these are for the discrete spaces, of any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh

from fem.rules.cell_rules import gauss


@dataclass(frozen=True)
class LineModes:
    """The modes of V and Q on n cells of order p."""

    n: int
    order: int

    @property
    def size(self) -> int:
        """dim V = np + 1; dim Q is one less."""
        return self.n * self.order + 1

    @cached_property
    def _modes(self) -> tuple[np.ndarray, np.ndarray]:
        """κ (size,) and the modes' coefficients in the local basis, (n, p+1, size)."""
        stiffness, mass = self._assembled()
        squares, vectors = eigh(stiffness, mass)
        kappa = np.sqrt(np.maximum(squares, 0.0))
        kappa[0] = 0.0  # the constant, exactly
        return kappa, vectors[self._global_index()]

    @property
    def kappa(self) -> np.ndarray:
        return self._modes[0]

    def values(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """c_k(x) and s_k(x) for k = 0..np (s_0 = 0), each (len(x), np + 1)."""
        kappa, local = self._modes
        cell = np.clip((x * self.n).astype(int), 0, self.n - 1)
        value, slope = _lobatto_functions(x * self.n - cell, self.order)
        coefficients = local[cell]
        c = np.einsum("qi,qik->qk", value, coefficients)
        dc = np.einsum("qi,qik->qk", slope * self.n, coefficients)
        s = np.divide(dc, kappa, out=np.zeros_like(dc), where=kappa > 0.0)
        return c, s

    def _global_index(self) -> np.ndarray:
        """(n, p+1): the number in V of each local function; 0 and 1 are the cell's ends."""
        start = self.order * np.arange(self.n)[:, None]
        inner = start + np.arange(1, self.order)
        return np.hstack([start, start + self.order, inner])

    def _assembled(self) -> tuple[np.ndarray, np.ndarray]:
        x, w = gauss(self.order + 1)
        value, slope = _lobatto_functions(x, self.order)
        local_mass = (value.T * w) @ value / self.n
        local_stiffness = (slope.T * w) @ slope * self.n
        stiffness, mass = np.zeros((2, self.size, self.size))
        for index in self._global_index():
            block = np.ix_(index, index)
            mass[block] += local_mass
            stiffness[block] += local_stiffness
        return stiffness, mass


def _lobatto_functions(x: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and slopes on (0, 1) of 1 − x, x and ∫₀ˣ L_k (k = 1..p−1), L_k shifted Legendre.

    The integrated Legendre polynomials vanish at both ends and have orthogonal slopes; each is
    scaled to a slope of norm one, which keeps the mass matrix well enough conditioned for
    order 60 and beyond (nodal Gauss–Lobatto functions span the same space).
    """
    P = legendre.legvander(2.0 * x - 1.0, order)
    k = np.arange(1, order)
    scale = np.sqrt(2 * k + 1.0)
    bubbles = (P[:, k + 1] - P[:, k - 1]) / (2.0 * (2 * k + 1)) * scale
    one = np.ones_like(x)[:, None]
    value = np.hstack([1.0 - x[:, None], x[:, None], bubbles])
    slope = np.hstack([-one, one, P[:, k] * scale])
    return value, slope
