"""Radial basis functions through the samples: SciPy's interpolator, linear, 50 nearest samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RBFInterpolator

Array = NDArray[np.float64]

COSTLY = True
NEIGHBOURS = 50
CURL = False  # it jumps where the 50 nearest samples change


def fit(inputs: Array, targets: Array, seed: int) -> tuple[Callable[[Array], Array], int]:
    """Inputs are scaled to unit spread, so that no input alone decides what is near.

    The kernel is linear because the smoother ones need a linear polynomial added to them, and the
    inputs need not span one (f₃ = 0 on `maxwell`).
    """
    spread = np.maximum(inputs.std(axis=0), 1e-12)
    interpolator = RBFInterpolator(
        inputs / spread, targets, neighbors=NEIGHBOURS, kernel="linear", degree=0
    )
    return lambda x: interpolator(x / spread), targets.size
