"""Kernels of the scaled distance, and the ridge regression that all kernel methods share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.spatial.distance import cdist

from bench.methods.baselines._least_squares import coefficients, triangle

Array = NDArray[np.float64]

CENTRES = 1000
BLOCK_POINTS = 1024
SMALLEST_NUGGET = 1e-12  # that rounding bears, with k(x, x) = 1


def _gauss(squared: Array) -> Array:
    """exp(−d²/2), in place."""
    squared *= -0.5
    return np.exp(squared, out=squared)


def _matern(squared: Array) -> Array:
    """(1 + s + s²/3) e^{−s}, s = √5 d: Matérn's of order 5/2."""
    s = np.sqrt(5 * squared, out=squared)
    return (1 + s + s * s / 3) * np.exp(-s)


KERNELS: dict[str, Callable[[Array], Array]] = {"gauss": _gauss, "matern": _matern}


@dataclass(frozen=True)
class Kernel:
    """k(x, z) of the scaled distance; `spread` has a number per input."""

    name: str
    length: float
    centre: Array
    spread: Array

    def __call__(self, x: Array, z: Array) -> Array:
        """(N, M) from points (N, inputs) and (M, inputs)."""
        a, b = ((points - self.centre) / (self.spread * self.length) for points in (x, z))
        return KERNELS[self.name](cdist(a, b, "sqeuclidean"))


@dataclass(frozen=True)
class Ridge:
    """x ↦ Σ_j c_j k(x, z_j), with the least Σ_i |v(x_i) − u_i|² + λ ‖v‖²_k of this form.

    Up to `CENTRES` samples every sample is a centre, and (K + λI) c = u. Beyond, the first samples
    are the centres (subset of regressors) and all samples are fitted: N × CENTRES numbers in
    memory, not N². A query costs one kernel value per centre.
    """

    kernel: Kernel
    centres: Array
    c: Array

    @classmethod
    def of(cls, kernel: Kernel, nugget: float, x: Array, y: Array) -> Ridge | None:
        """The fit, or None where rounding makes the matrix indefinite."""
        z = x[:CENTRES]
        gram = kernel(z, z)
        gram[np.diag_indices_from(gram)] += nugget if len(x) <= CENTRES else SMALLEST_NUGGET
        try:
            factor = linalg.cholesky(gram, lower=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        if len(x) <= CENTRES:
            return cls(kernel, z, linalg.cho_solve((factor, True), y, check_finite=False))
        # λ cᵀ G c = |√λ Lᵀ c|²: rows below the samples' own
        above = np.concatenate([np.sqrt(nugget) * factor.T, np.zeros((len(z), y.shape[1]))], axis=1)
        return cls(kernel, z, coefficients(triangle(kernel(z, x), y, above), y.shape[1]))

    @classmethod
    def bearing(cls, kernel: Kernel, nugget: float, x: Array, y: Array) -> tuple[Ridge, float]:
        """The fit with the nugget, or with the next of 10, 100, … times it that rounding bears."""
        while (ridge := cls.of(kernel, nugget, x, y)) is None:
            nugget *= 10
        return ridge, nugget

    def __call__(self, x: Array) -> Array:
        parts = [x[k : k + BLOCK_POINTS] for k in range(0, len(x), BLOCK_POINTS)]
        return np.concatenate([self.kernel(part, self.centres) @ self.c for part in parts])
