"""scikit-learn and SciPy on scattered samples of u, given what our baselines are given: positions.

As their documentation advises: inputs scaled to unit spread, settings by a grid search. The search
has our candidates and our held-out samples, and refits to all of them.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from bench.methods.baselines import _random, kernel_ridge
from bench.methods.baselines._search import HELD_OUT, Split


def scikit_kernel_ridge(x, y):
    """KernelRidge by GridSearchCV."""
    from sklearn.gaussian_process.kernels import RBF, Matern
    from sklearn.kernel_ridge import KernelRidge

    lengths = kernel_ridge.LENGTHS
    kernels = [RBF(length) for length in lengths] + [Matern(length, nu=2.5) for length in lengths]
    grid = {"kernelridge__kernel": kernels, "kernelridge__alpha": kernel_ridge.NUGGETS}
    return searched(grid, x, y, KernelRidge())


def scikit_fourier_features(x, y):
    """RBFSampler and Ridge by GridSearchCV; "svd" is Ridge's most stable solver. The sampler draws
    weights of spread √(2γ)."""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge

    grid = {
        "rbfsampler__gamma": [scale**2 / 2 for scale in _random.SCALES],
        "rbfsampler__n_components": [n for n in _random.COUNTS if n < 0.8 * len(x)],
        "ridge__alpha": [1e-12, 1e-9],
    }
    return searched(grid, x, y, RBFSampler(random_state=0), Ridge(solver="svd"))


def searched(grid, x, y, *steps):
    """The best of the grid on the held-out fifth, refitted to all samples: a predictor."""
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    held = np.where(np.arange(len(x)) % HELD_OUT == HELD_OUT - 1, 0, -1)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), *steps),
        grid,
        scoring="neg_mean_squared_error",
        cv=PredefinedSplit(held),
    )
    return search.fit(x, y).predict


def scipy_interpolator(x, y):
    """RBFInterpolator as it comes: thin plates through all samples."""
    from scipy.interpolate import RBFInterpolator

    return RBFInterpolator(x, y)


def scipy_gaussians(x, y):
    """RBFInterpolator with Gaussians, whose width its documentation asks the user to choose, and
    the smoothing that keeps the matrix regular, both by the held-out samples."""
    from scipy.interpolate import RBFInterpolator

    centre, spread = x.mean(axis=0), x.std(axis=0)
    split = Split.of((x - centre) / spread, y)

    def made(candidate, inputs, targets):
        length, smoothing = candidate
        options = {
            "kernel": "gaussian",
            "epsilon": 1 / (np.sqrt(2) * length),
            "smoothing": smoothing,
        }
        return RBFInterpolator(inputs, targets, **options)

    def error(candidate):
        try:
            found = made(candidate, split.rows.T, split.targets)
        except np.linalg.LinAlgError:  # "Singular matrix": no candidate
            return np.inf
        return split.error(found(split.held_rows.T))

    best = min(product(kernel_ridge.LENGTHS, kernel_ridge.NUGGETS), key=error)
    found = made(best, (x - centre) / spread, y)
    return lambda points: found((points - centre) / spread)
