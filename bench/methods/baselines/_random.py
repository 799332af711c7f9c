"""Random features: one hidden layer that is drawn and never trained; count and scale validated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.methods.baselines import Fitted
from bench.methods.baselines._least_squares import Features
from bench.methods.baselines._search import Split, Stopwatch, Trained

Array = NDArray[np.float64]
Activation = Callable[[Array], Array]

COUNTS = (100, 300, 600, 1000)
# Weight scales for inputs of spread one. `helix`, positions: tanh 0.25, cos 1 are best; with
# all seven inputs 0.25 or less; 4 is 100 times worse everywhere.
SCALES = (0.1, 0.25, 0.5, 1.0, 2.0)
SCALE_COUNT = 300  # features with which the scale is chosen


def random_fit(
    sigma: Activation, phase: float, octaves: float = 0.0
) -> Callable[[Array, Array, int], Fitted]:
    """σ(s W x + b), W normal, b uniform in ±`phase`; σ acts in place.

    With `octaves` the scales of the features are spread over so many factors of two above s, and
    each is zero at one of the samples: steep features would otherwise all lie at the centre.
    """

    def fit(inputs: Array, targets: Array, seed: int) -> Fitted:
        watch = Stopwatch()
        split = Split.of(inputs, targets)
        most = int(0.9 * split.rows.shape[1])
        counts = [count for count in COUNTS if count <= most] or [max(1, most - 1)]
        few = min(SCALE_COUNT, counts[-1])
        made = partial(_features, sigma, phase, octaves, split.rows, seed)
        scale = min(SCALES, key=lambda s: Trained.of(made(few, s), split).error(split, few + 1))
        tried = Trained.of(made(counts[-1], scale), split)
        count = min(counts, key=lambda k: tried.error(split, k + 1))
        tuning = watch.seconds()
        predict = tried.refitted(split, count + 1, made(count, scale))
        return Fitted(predict, predict.c.size, {"count": count, "scale": scale}, tuning)

    return fit


def _features(
    sigma: Activation,
    phase: float,
    octaves: float,
    rows: Array,
    seed: int,
    count: int,
    scale: float,
) -> Features:
    """The constant, then `count` features, which are the first ones of any larger count."""
    centre, spread = rows.mean(axis=1), np.maximum(rows.std(axis=1), 1e-12)
    generator = np.random.Generator(np.random.Philox(seed))
    drawn = generator.random((COUNTS[-1], 1))[:count]
    weights = scale * generator.normal(size=(COUNTS[-1], len(rows)))[:count] / spread
    biases = phase * (2 * drawn - 1) - (weights @ centre)[:, None]
    if octaves:
        weights *= 2.0 ** (octaves * generator.random((COUNTS[-1], 1))[:count])
        places = rows[:, generator.integers(rows.shape[1], size=COUNTS[-1])[:count]]
        biases = -np.einsum("kj,jk->k", weights, places)[:, None]

    def features(rows: Array) -> Array:
        values = np.empty((1 + count, rows.shape[1]))
        values[0] = 1.0
        np.matmul(weights, rows, out=values[1:])
        values[1:] += biases
        sigma(values[1:])
        return values

    return features
