"""Polynomials in Re ζ^α, Im ζ^α and x₃ about a vertical edge of the cube: given the kind of
singularity, not its place.

ζ = x₁ − a + i (x₂ − b), turned so that its cut points in one of four directions; edge, direction,
α ∈ {½, ⅔} and the degree are chosen by validation. No generic method: the singular fields of this
suite are of that form, so what it reaches is what their form is worth.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.methods.baselines import Fitted, _products
from bench.methods.baselines._least_squares import Features
from bench.methods.baselines._search import Split, Stopwatch, Trained

Array = NDArray[np.float64]
COSTLY = True
CURL = False
INPUTS = ("x",)
KNOWS = "that the field is singular like a power ½ or ⅔ at a vertical edge"
POWERS = (0.5, 2 / 3)
DEGREES = (2, 4, 6, 8, 10)
SAMPLES_PER_FEATURE = 1.5


def fit(inputs: Array, targets: Array, seed: int) -> Fitted:
    """One factorisation per edge, cut and power serves for all degrees."""
    watch = Stopwatch()
    split = Split.of(inputs, targets)
    most = split.rows.shape[1] / SAMPLES_PER_FEATURE
    degrees = [p for p in DEGREES if _products.count(3, p) <= most] or [1]
    best: tuple[float, dict[str, float], Trained] | None = None
    for place in _places():
        tried = Trained.of(_basis(**place, degree=degrees[-1]), split)
        for degree in degrees:
            error = tried.error(split, _products.count(3, degree))
            if best is None or error < best[0]:
                best = error, place | {"degree": degree}, tried
    assert best is not None
    _, chosen, tried = best
    tuning, size = watch.seconds(), _products.count(3, int(chosen["degree"]))
    predict = tried.refitted(split, size, _basis(**chosen))
    return Fitted(predict, predict.c.size, chosen, tuning)


def _places() -> Iterator[dict[str, float]]:
    for a in (0.0, 1.0):
        for b in (0.0, 1.0):
            for cut in (0.0, 0.5, 1.0, 1.5):
                for power in POWERS:
                    yield {"a": a, "b": b, "cut": cut, "power": power}


def _basis(a: float, b: float, cut: float, power: float, degree: float) -> Features:
    """Products of Legendre polynomials; the cut lies at the angle `cut`·π."""
    steps = _products.products(3, int(degree), whole=True)
    turn = np.exp(1j * np.pi * (1 - cut))

    def features(rows: Array) -> Array:
        root = ((rows[0] - a + 1j * (rows[1] - b)) * turn) ** power
        scaled = np.stack([root.real / 1.5, root.imag / 1.5, 2 * rows[2] - 1])
        return _products.evaluate(steps, _products.legendre(scaled, int(degree)))

    return features
