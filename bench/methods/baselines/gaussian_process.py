"""A Gaussian process with one length per input: lengths and nugget by likelihood, kernel validated.

Its mean is a kernel ridge regression; `kernel_ridge` has one length for all inputs. Lengths and
nugget λ are shared by all outputs, each of which has an amplitude of its own. With the best
amplitudes, minus the logarithm of the marginal likelihood of N samples y_j of m outputs is, up to a
constant,

    ½ m log det A + ½ N Σ_j log(y_jᵀ A⁻¹ y_j),   A = K + λI.

Beyond `CENTRES` samples the first ones decide the settings, and all are fitted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize
from scipy.spatial.distance import cdist

from bench.methods.baselines import Fitted
from bench.methods.baselines._search import Split, Stopwatch
from bench.methods.baselines.kernel_ridge import CENTRES, KERNELS, NUGGETS, Kernel, Ridge

Array = NDArray[np.float64]

COSTLY = True
CURL = False  # 560 000 predictions of 5 µs
FEW = 400  # samples from which the search starts
STARTS = (0.5, 4.0)  # lengths; inputs have spread one
START_NUGGET = 1e-6
# The upper end of the lengths is natural: there the field does not depend on that input.
LENGTHS = (0.01, 1000.0)
NUGGET_RANGE = (NUGGETS[0], 1.0)
CONSTANT = 1e-9  # the spread of a constant, in units of its size


def _gauss_slope(squared: Array) -> Array:
    """−½ exp(−d²/2), in place."""
    squared *= -0.5
    return -0.5 * np.exp(squared, out=squared)


def _matern_slope(squared: Array) -> Array:
    """−(5/6) (1 + s) e^{−s}, s = √5 d."""
    s = np.sqrt(5 * squared, out=squared)
    return -5 / 6 * (1 + s) * np.exp(-s)


# Derivatives of the kernels by d².
SLOPES: dict[str, Callable[[Array], Array]] = {"gauss": _gauss_slope, "matern": _matern_slope}


def misfit(logs: Array, kernel: str, x: Array, y: Array) -> tuple[float, Array]:
    """Minus the logarithm of the marginal likelihood, and its gradient.

    `logs` are those of the lengths, in units of x, and of the nugget. The misfit is infinite where
    rounding makes the matrix indefinite.
    """
    scaled, nugget = x / np.exp(logs[:-1]), float(np.exp(logs[-1]))
    squared = cdist(scaled, scaled, "sqeuclidean")
    A = KERNELS[kernel](squared.copy())
    A[np.diag_indices_from(A)] += nugget
    try:
        factor = linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return np.inf, np.zeros_like(logs)
    samples, outputs = y.shape
    solved = linalg.cho_solve((factor, True), y, check_finite=False)
    energies = np.einsum("nj,nj->j", y, solved)
    value = outputs * np.log(factor.diagonal()).sum() + samples / 2 * np.log(energies).sum()
    by_A = outputs / 2 * _inverse(factor) - (samples / 2 * solved / energies) @ solved.T
    by_nugget = nugget * np.trace(by_A)
    # ∂A/∂log ℓ = −2 k'(d²) (x − z)²/ℓ²; summed over pairs without a matrix per input.
    by_A *= SLOPES[kernel](squared)
    by_lengths = 4 * np.sum(scaled * (by_A @ scaled - by_A.sum(axis=1)[:, None] * scaled), axis=0)
    return float(value), np.append(by_lengths, by_nugget)


def _inverse(factor: Array) -> Array:
    """A⁻¹ from the lower factor of A."""
    lower, _ = linalg.lapack.dpotri(factor, lower=True)
    return np.tril(lower) + np.tril(lower, -1).T


def _improved(logs: Array, kernel: str, x: Array, y: Array) -> tuple[float, Array]:
    """The least misfit that a search from `logs` meets, and where."""
    bounds = np.log([LENGTHS] * x.shape[1] + [NUGGET_RANGE])
    limits = {"maxiter": 60, "ftol": 1e-7}
    found = optimize.minimize(
        misfit, logs, (kernel, x, y), "L-BFGS-B", jac=True, bounds=bounds, options=limits
    )
    return float(found.fun), found.x


def _searched(kernel: str, x: Array, y: Array) -> Array:
    """From several starts on few samples, from the best of them on all."""
    starts = [np.log([length] * x.shape[1] + [START_NUGGET]) for length in STARTS]
    ends = [_improved(start, kernel, x[:FEW], y[:FEW]) for start in starts]
    _, logs = min(ends, key=lambda end: end[0])
    return _improved(logs, kernel, x, y)[1] if len(x) > FEW else logs


def _settings(logs: Array) -> tuple[Array, float]:
    """Lengths and nugget to six digits, so that an end is met exactly."""
    *lengths, nugget = (float(f"{value:.6g}") for value in np.exp(logs))
    return np.array(lengths), nugget


def _varies(values: Array) -> NDArray[np.bool_]:
    """Which columns are not constant."""
    return np.asarray(values.std(axis=0) > CONSTANT * np.abs(values).max(axis=0))


def fit(inputs: Array, targets: Array, seed: int) -> Fitted:
    """The settings of each kernel are searched on four fifths of the samples, and judged on the
    rest; those of the best kernel are searched again on all."""
    watch = Stopwatch()
    mean, centre = targets.mean(axis=0), inputs.mean(axis=0)
    used, varying = _varies(inputs), _varies(targets)
    spread = inputs.std(axis=0)[used]

    def scaled(points: Array) -> Array:
        """A constant input tells nothing."""
        return (points[:, used] - centre[used]) / spread

    def ridge(kernel: str, logs: Array, x: Array, y: Array) -> tuple[Ridge, float]:
        """The fit with the nugget, or with the next of 10, 100, … times it that rounding bears."""
        lengths, nugget = _settings(logs)
        scaled = Kernel(kernel, 1.0, np.zeros(len(lengths)), lengths)
        while (found := Ridge.of(scaled, nugget, x, y)) is None:
            nugget *= 10
        return found, nugget

    x, y = scaled(inputs), targets - mean
    split = Split.of(x[:CENTRES], y[:CENTRES])
    part, values = split.rows.T, split.targets
    ends = {name: _searched(name, part, values[:, varying]) for name in KERNELS}
    name = min(
        ends,
        key=lambda name: split.error(ridge(name, ends[name], part, values)[0](split.held_rows.T)),
    )
    _, logs = _improved(ends[name], name, x[:CENTRES], y[:CENTRES, varying])
    tuning = watch.seconds()
    fitted, nugget = ridge(name, logs, x, y)
    lengths = np.full(len(used), LENGTHS[-1])
    lengths[used], _ = _settings(logs)
    chosen = {
        "kernel": name,
        "lengths": lengths.tolist(),
        "nugget": nugget,
        "centres": len(fitted.centres),
    }
    return Fitted(lambda points: fitted(scaled(points)) + mean, fitted.c.size, chosen, tuning)
