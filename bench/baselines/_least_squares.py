"""Least squares on features: what the polynomial and the random-feature baselines share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]
Features = Callable[[Array], Array]


def fit_features(features: Features, inputs: Array, targets: Array) -> tuple[Features, int]:
    """Minimises ‖Φ(inputs) c − targets‖ by a rank-revealing QR; columns are scaled to norm one.

    The seven inputs are dependent to second order on some fields (φ is quadratic in x), so the
    normal equations would lose half of the digits.
    """
    matrix = features(inputs)
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0] = 1.0
    coefficients, *_ = linalg.lstsq(matrix / scale, targets, lapack_driver="gelsy", cond=1e-13)
    coefficients /= scale[:, None]
    return lambda x: features(x) @ coefficients, coefficients.size
