"""Kernel ridge regression, the mean of a Gaussian process: kernel, length and nugget validated.

Minimises Σ_i |v(x_i) − u_i|² + λ ‖v‖²_k over v = Σ_j c_j k(·, z_j). Up to `CENTRES` samples every
sample is a centre, and (K + λI) c = u. Beyond, the first samples are the centres (subset of
regressors) and all samples are fitted: N × CENTRES numbers in memory, not N².
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.spatial.distance import cdist

from bench.methods.baselines import Fitted
from bench.methods.baselines._least_squares import coefficients, triangle
from bench.methods.baselines._search import Split, Stopwatch

Array = NDArray[np.float64]

COSTLY = True
CURL = False  # 560 000 predictions of 5 µs
CENTRES = 1000
JUDGED = 400  # held-out samples
BLOCK_POINTS = 1024
LENGTHS = (1.0, 2.0, 4.0, 8.0)  # inputs have spread one
NUGGETS = (1e-12, 1e-9, 1e-6, 1e-3)  # k(x, x) = 1; the smallest that rounding bears is 1e-12


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
    """k(x, z) of the scaled distance."""

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
    """x ↦ Σ_j c_j k(x, z_j): a query costs one kernel value per centre."""

    kernel: Kernel
    centres: Array
    c: Array

    @classmethod
    def of(cls, kernel: Kernel, nugget: float, x: Array, y: Array) -> Ridge | None:
        """The fit, or None where rounding makes the matrix indefinite."""
        z = x[:CENTRES]
        gram = kernel(z, z)
        gram[np.diag_indices_from(gram)] += nugget if len(x) <= CENTRES else 1e-12
        try:
            factor = linalg.cholesky(gram, lower=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        if len(x) <= CENTRES:
            return cls(kernel, z, linalg.cho_solve((factor, True), y, check_finite=False))
        # λ cᵀ G c = |√λ Lᵀ c|²: rows below the samples' own
        above = np.concatenate([np.sqrt(nugget) * factor.T, np.zeros((len(z), y.shape[1]))], axis=1)
        return cls(kernel, z, coefficients(triangle(kernel(z, x), y, above), y.shape[1]))

    def __call__(self, x: Array) -> Array:
        parts = [x[k : k + BLOCK_POINTS] for k in range(0, len(x), BLOCK_POINTS)]
        return np.concatenate([self.kernel(part, self.centres) @ self.c for part in parts])


def fit(inputs: Array, targets: Array, seed: int) -> Fitted:
    """Candidates are fitted to at most `CENTRES` samples, where the exact solve is cheap."""
    watch = Stopwatch()
    scales = (inputs.mean(axis=0), np.maximum(inputs.std(axis=0), 1e-12))
    split = Split.of(inputs, targets)
    few = replace(split, held_targets=split.held_targets[:JUDGED])
    x, y = split.rows.T[:CENTRES], split.targets[:CENTRES]
    held = split.held_rows.T[:JUDGED]

    def error(candidate: tuple[str, float, float]) -> float:
        name, length, nugget = candidate
        found = Ridge.of(Kernel(name, length, *scales), nugget, x, y)
        return np.inf if found is None else few.error(found(held))

    name, length, nugget = min(product(KERNELS, LENGTHS, NUGGETS), key=error)
    tuning = watch.seconds()
    ridge = Ridge.of(Kernel(name, length, *scales), nugget, inputs, targets)
    while ridge is None:  # a tighter sample needs a larger nugget
        nugget *= 10
        ridge = Ridge.of(Kernel(name, length, *scales), nugget, inputs, targets)
    chosen = {"kernel": name, "length": length, "nugget": nugget, "centres": len(ridge.centres)}
    return Fitted(ridge, ridge.c.size, chosen, tuning)
