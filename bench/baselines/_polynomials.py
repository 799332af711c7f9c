"""Monomials of the inputs up to a degree, without the constant: u vanishes where the inputs do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from bench.baselines._least_squares import Features, fit_features

Array = NDArray[np.float64]


def monomials(inputs: Array, degree: int) -> Array:
    """(N, m) → (N, k): every product of 1..degree inputs; 7 inputs give 35 at degree 2."""
    columns = [
        np.prod(inputs[:, list(factors)], axis=1)
        for size in range(1, degree + 1)
        for factors in combinations_with_replacement(range(inputs.shape[1]), size)
    ]
    return np.column_stack(columns)


def polynomial_fit(degree: int) -> Callable[[Array, Array, int], tuple[Features, int]]:
    def fit(inputs: Array, targets: Array, seed: int) -> tuple[Features, int]:
        return fit_features(lambda x: monomials(x, degree), inputs, targets)

    return fit
