"""Choose by validation: a fifth of the samples is held out, the best candidate is fitted to all.

The search is part of the method and of its cost; `Fitted.seconds_tuning` is its time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.methods.baselines._least_squares import Features, Linear, coefficients, triangle

Array = NDArray[np.float64]

HELD_OUT = 5  # one sample in five; samples are in random order


@dataclass(frozen=True)
class Split:
    """Training and held-out samples; inputs as rows (m, N), targets (N, outputs)."""

    rows: Array
    targets: Array
    held_rows: Array
    held_targets: Array

    @classmethod
    def of(cls, inputs: Array, targets: Array) -> Split:
        held = np.arange(len(inputs)) % HELD_OUT == HELD_OUT - 1
        rows = np.ascontiguousarray(inputs.T)
        return cls(rows[:, ~held], targets[~held], rows[:, held], targets[held])

    def error(self, predicted: Array) -> float:
        """Return the relative error on the held-out samples; infinite if a prediction overflows."""
        error = float(np.linalg.norm(predicted - self.held_targets))
        scale = float(np.linalg.norm(self.held_targets)) or 1.0
        return error / scale if np.isfinite(error) else np.inf


@dataclass(frozen=True)
class Trained:
    """Features with the triangle of the training part, and their values at the held-out points."""

    features: Features
    R: Array
    held: Array  # (k, held out)

    @classmethod
    def of(cls, features: Features, split: Split) -> Trained:
        R = triangle(features(split.rows), split.targets)
        return cls(features, R, features(split.held_rows))

    def error(self, split: Split, leading: int) -> float:
        """The validation error of the first features alone."""
        c = coefficients(self.R, split.targets.shape[1], leading)
        return split.error(self.held[:leading].T @ c)

    def refitted(self, split: Split, leading: int, features: Features) -> Linear:
        """Fit the first features, which `features` computes without the others, to all samples."""
        outputs = split.targets.shape[1]
        columns = [*range(leading), *range(self.R.shape[1] - outputs, self.R.shape[1])]
        R = triangle(self.held[:leading], split.held_targets, above=self.R[:, columns])
        return Linear(features, coefficients(R, outputs))


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self.start = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self.start
