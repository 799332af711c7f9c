"""Kernel ridge regression, the mean of a Gaussian process: kernel, length and nugget validated."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bench.methods.baselines import Fitted
from bench.methods.baselines._kernels import CENTRES, KERNELS, SMALLEST_NUGGET, Kernel, Ridge
from bench.methods.baselines._search import Split, Stopwatch

Array = NDArray[np.float64]

COSTLY = True
CURL = False  # 560 000 predictions of 5 µs
JUDGED = 400  # held-out samples
LENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0)  # inputs have spread one
NUGGETS = (SMALLEST_NUGGET, 1e-9, 1e-6, 1e-3, 1.0)


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
    # A tighter sample needs a larger nugget.
    ridge, nugget = Ridge.bearing(Kernel(name, length, *scales), nugget, inputs, targets)
    chosen = {"kernel": name, "length": length, "nugget": nugget, "centres": len(ridge.centres)}
    return Fitted(ridge, ridge.c.size, chosen, tuning)
