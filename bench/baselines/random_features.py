"""Least squares on 300 random tanh features: one hidden layer that is drawn and never trained."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bench.baselines._least_squares import Features, fit_features

Array = NDArray[np.float64]

WIDTH = 300


def fit(inputs: Array, targets: Array, seed: int) -> tuple[Features, int]:
    generator = np.random.Generator(np.random.Philox(seed))
    centre, spread = inputs.mean(axis=0), np.maximum(inputs.std(axis=0), 1e-12)
    weights = generator.normal(size=(inputs.shape[1], WIDTH)) / np.sqrt(inputs.shape[1])
    biases = generator.uniform(-2, 2, size=WIDTH)

    def features(x: Array) -> Array:
        hidden = np.tanh((x - centre) / spread @ weights + biases)
        return np.column_stack([hidden, np.ones(len(x))])

    return fit_features(features, inputs, targets)
