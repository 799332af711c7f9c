"""Kernel ridge regression, the mean of a Gaussian process: kernel, length and nugget validated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from bench.methods.baselines import Fitted
from bench.methods.baselines._kernels import CENTRES, KERNELS, SMALLEST_NUGGET, Kernel, Ridge
from bench.methods.baselines._search import Split, Stopwatch

Array = NDArray[np.float64]

COSTLY = True
CURL = False  # 560 000 predictions of 5 µs
JUDGED = 400  # held-out samples
LENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0)  # inputs have spread one
NUGGETS = (SMALLEST_NUGGET, 1e-9, 1e-6, 1e-3, 1.0)


def solved(gram: Array, nugget: float, y: Array) -> Array | None:
    """(K + λI)⁻¹ y, or None where rounding makes the matrix indefinite."""
    matrix = gram + nugget * np.eye(len(gram))
    try:
        factor = linalg.cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    return np.asarray(linalg.cho_solve((factor, True), y, check_finite=False))


def fit(inputs: Array, targets: Array, seed: int) -> Fitted:
    """Candidates are fitted to at most `CENTRES` samples, where the exact solve is cheap."""
    watch = Stopwatch()
    scales = (inputs.mean(axis=0), np.maximum(inputs.std(axis=0), 1e-12))
    split = Split.of(inputs, targets)
    few = replace(split, held_targets=split.held_targets[:JUDGED])
    x, y = split.rows.T[:CENTRES], split.targets[:CENTRES]
    held = split.held_rows.T[:JUDGED]

    def errors(name: str, length: float) -> Iterator[tuple[float, str, float, float]]:
        """The kernel's values serve for every nugget."""
        kernel = Kernel(name, length, *scales)
        gram, across = kernel(x, x), kernel(held, x)
        for nugget in NUGGETS:
            c = solved(gram, nugget, y)
            yield np.inf if c is None else few.error(across @ c), name, length, nugget

    tried = (found for name, length in product(KERNELS, LENGTHS) for found in errors(name, length))
    _, name, length, nugget = min(tried, key=lambda found: found[0])
    tuning = watch.seconds()
    # A tighter sample needs a larger nugget.
    ridge, nugget = Ridge.bearing(Kernel(name, length, *scales), nugget, inputs, targets)
    chosen = {"kernel": name, "length": length, "nugget": nugget, "centres": len(ridge.centres)}
    return Fitted(ridge, ridge.c.size, chosen, tuning)
