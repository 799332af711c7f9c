"""Tensor-product B-splines on the box of the samples; degree and number of intervals validated.

Least squares with a small penalty on the coefficients, because the corners of the box lie outside
the cylinder and hold no sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.interpolate import NdBSpline

from bench.methods.baselines import Fitted
from bench.methods.baselines._search import Split, Stopwatch, smallest

Array = NDArray[np.float64]

COSTLY = True
INPUTS = ("x",)
DEGREES = (3, 5)
INTERVALS = (1, 2, 4, 8)  # along the longest side of the box
PENALTY = 1e-12
MOST = 1600  # coefficients, whose normal equations are dense: 20 MB


@dataclass(frozen=True)
class Grid:
    """Knots of one degree over a box."""

    degree: int
    knots: tuple[Array, ...]

    @classmethod
    def over(cls, low: Array, high: Array, intervals: int, degree: int) -> Grid:
        longest = float(np.max(high - low))
        knots = []
        for a, b in zip(low, high, strict=True):
            inner = np.linspace(a, b, max(1, round(intervals * (b - a) / longest)) + 1)
            knots.append(np.concatenate([[a] * degree, inner, [b] * degree]))
        return cls(degree, tuple(knots))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(t) - self.degree - 1 for t in self.knots)

    def fitted(self, x: Array, y: Array) -> NdBSpline:
        """By normal equations: B-splines are well conditioned, 1e3 to 1e5."""
        sparse = NdBSpline.design_matrix(x, self.knots, self.degree)
        sparse.resize(len(x), int(np.prod(self.shape)))  # SciPy counts columns up to the last met
        A = sparse.toarray()  # a degree of 5 has 216 entries a row: dense is five times faster
        gram = A.T @ A
        gram[np.diag_indices_from(gram)] += PENALTY * max(1.0, float(gram.max()))
        c = linalg.solve(gram, A.T @ y, assume_a="pos", check_finite=False)
        return NdBSpline(self.knots, c.reshape(*self.shape, y.shape[1]), self.degree)


def fit(inputs: Array, targets: Array, seed: int) -> Fitted:
    watch = Stopwatch()
    split = Split.of(inputs, targets)
    low, high = inputs.min(axis=0), inputs.max(axis=0)
    grids = [Grid.over(low, high, n, degree) for degree, n in product(DEGREES, INTERVALS)]
    able = [g for g in grids if np.prod(g.shape) <= min(MOST, len(split.targets))] or grids[:1]
    x, y, held = split.rows.T, split.targets, split.held_rows.T
    best = smallest(able, lambda grid: split.error(grid.fitted(x, y)(held)))
    tuning = watch.seconds()
    spline = best.fitted(inputs, targets)
    chosen = {"degree": best.degree, "intervals": [k - best.degree for k in best.shape]}
    return Fitted(spline, spline.c.size, chosen, tuning)
