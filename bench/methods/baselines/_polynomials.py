"""Monomials of the inputs up to a degree, without the constant: u vanishes where the inputs do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bench.methods.baselines import _products
from bench.methods.baselines._least_squares import Predict, fit_features

Array = NDArray[np.float64]


def monomials(rows: Array, degree: int) -> Array:
    """(m, N) → (k, N): every product of 1..degree inputs; 7 inputs give 35 at degree 2."""
    steps = _products.products(len(rows), degree, whole=False)
    return _products.evaluate(steps, _products.powers(rows, degree))[1:]


def polynomial_fit(degree: int) -> Callable[[Array, Array, int], tuple[Predict, int]]:
    def fit(inputs: Array, targets: Array, seed: int) -> tuple[Predict, int]:
        return fit_features(lambda rows: monomials(rows, degree), inputs, targets)

    return fit
