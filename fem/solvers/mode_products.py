"""Sine and cosine transforms as matrix products, for lines too short for fast ones.

A fast transform of 2.5 n log₂ n operations runs at a tenth of the speed of matrix products, so that
up to n = `LONGEST` a product of n² operations is ahead. It is not 2n², because a mode is symmetric
about the middle or antisymmetric and sees the sum or the difference of the two ends only:

    a_m = Σ_j t_m(j) x(j) = Σ_{j < (N+1)/2} t_m(j) (x(j) ± x(N−1−j)),   N points,

the middle one of an odd number counted once. Modes are kept sorted: the symmetric cosines
(m = 0, 2, 4, …) first, then the others; the sines likewise without m = 0, so that sine i and
cosine i + 1 have the same m.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

# Milliseconds of all transforms of one solve, scipy.fft's and these, one thread, n = 16, 17, 32,
# 64, 96, 128: 0.45, 0.88, 2.4, 18.5, 68, 149 and 0.21, 0.24, 1.0, 10.7, 58, 202.
LONGEST = 80


class Modes(NamedTuple):
    """The modes of one axis at the first half of its points, symmetric or not, (modes, points)."""

    analysis: tuple[NDArray[Any], ...]
    synthesis: tuple[NDArray[Any], ...]  # transposed, the modes 0 and n halved
    first: int  # which kind comes first: 0 the symmetric ones, 1 the others


def analyse(part: NDArray[Any], along: int) -> None:
    """Sums against the sine modes along the edges and the cosine modes across, times 8."""
    work = np.empty_like(part).reshape(-1)
    for axis in range(3):
        modes, x, plus, minus = _prepared(part, axis, along, work)
        (_fold_last if axis == 2 else _fold)(x, plus, minus)
        for kind, rows in _rows(modes):
            folded = minus if kind else plus
            if axis == 2:
                np.matmul(folded, modes.analysis[kind].T, out=x[..., rows])
            else:
                np.matmul(modes.analysis[kind], folded, out=x[:, rows])


def synthesise(part: NDArray[Any], along: int) -> None:
    """The combination of modes, times 8, of coefficients whose ends (m = 0, n) are doubled."""
    work = np.empty_like(part).reshape(-1)
    for axis in range(3):
        modes, x, plus, minus = _prepared(part, axis, along, work)
        for kind, rows in _rows(modes):
            folded = minus if kind else plus
            if axis == 2:
                np.matmul(x[..., rows], modes.synthesis[kind].T, out=folded)
            else:
                np.matmul(modes.synthesis[kind], x[:, rows], out=folded)
        (_unfold_last if axis == 2 else _unfold)(x, plus, minus)


def _prepared(part: NDArray[Any], axis: int, along: int, work: NDArray[Any]) -> tuple[Any, ...]:
    """The modes, the part as (outer, axis, inner) or (lines, axis), and room for its two halves."""
    size = part.shape[axis]
    modes = _modes(size, axis == along, part.dtype.str)
    x = part if axis == 1 else part.reshape((-1, size) if axis == 2 else (1, size, -1))
    halves = [(len(x), half, *x.shape[2:]) for half in ((size + 1) // 2, size // 2)]
    cut = math.prod(halves[0])
    return modes, x, work[:cut].reshape(halves[0]), work[cut:].reshape(halves[1])


def sorted_modes(n: int) -> NDArray[np.int64]:
    """m = 0, 2, 4, …, 1, 3, 5, …, up to n."""
    return np.concatenate([np.arange(0, n + 1, 2), np.arange(1, n + 1, 2)])


@cache
def _modes(size: int, sines: bool, dtype: str) -> Modes:
    """2 sin θ_m (j + ½) or 2 cos θ_m j, θ_m = πm/n; at n − 1 − j the sine of m is (−1)^{m+1} times
    that at j, at n − j the cosine (−1)^m times."""
    n = size if sines else size - 1
    m, half = sorted_modes(n)[int(sines) :, None], np.arange((size + 1) // 2)
    t = 2 * (np.sin if sines else np.cos)(np.pi / n * m * (half + sines / 2))
    back = np.where(m % n == 0, t / 2, t)
    symmetric = (m[:, 0] % 2 == 0) != sines
    kinds = (symmetric, half.size), (~symmetric, size // 2)
    return Modes(
        tuple(np.ascontiguousarray(t[kind, :count], dtype) for kind, count in kinds),
        tuple(np.ascontiguousarray(back[kind, :count].T, dtype) for kind, count in kinds),
        int(not symmetric[0]),
    )


def _rows(modes: Modes) -> list[tuple[int, slice]]:
    """Each kind with the rows in which its modes are kept."""
    cut = len(modes.analysis[modes.first])
    return [(modes.first, slice(0, cut)), (1 - modes.first, slice(cut, None))]


@njit(nogil=True, cache=True)
def _fold(x: Any, plus: Any, minus: Any) -> None:
    """x(j) ± x(N−1−j) along the middle axis."""
    size = x.shape[1]
    for i in range(len(x)):
        for j in range(size // 2):
            for k in range(x.shape[2]):
                low, high = x[i, j, k], x[i, size - 1 - j, k]
                plus[i, j, k] = low + high
                minus[i, j, k] = low - high
        if size % 2:
            plus[i, size // 2] = x[i, size // 2]


@njit(nogil=True, cache=True)
def _unfold(x: Any, plus: Any, minus: Any) -> None:
    """x(j) and x(N−1−j) = plus ± minus."""
    size = x.shape[1]
    for i in range(len(x)):
        for j in range(size // 2):
            for k in range(x.shape[2]):
                x[i, j, k] = plus[i, j, k] + minus[i, j, k]
                x[i, size - 1 - j, k] = plus[i, j, k] - minus[i, j, k]
        if size % 2:
            x[i, size // 2] = plus[i, size // 2]


@njit(nogil=True, cache=True)
def _fold_last(x: Any, plus: Any, minus: Any) -> None:
    """The same along the last axis."""
    size = x.shape[1]
    for i in range(len(x)):
        for j in range(size // 2):
            low, high = x[i, j], x[i, size - 1 - j]
            plus[i, j] = low + high
            minus[i, j] = low - high
        if size % 2:
            plus[i, size // 2] = x[i, size // 2]


@njit(nogil=True, cache=True)
def _unfold_last(x: Any, plus: Any, minus: Any) -> None:
    size = x.shape[1]
    for i in range(len(x)):
        for j in range(size // 2):
            x[i, j] = plus[i, j] + minus[i, j]
            x[i, size - 1 - j] = plus[i, j] - minus[i, j]
        if size % 2:
            x[i, size // 2] = plus[i, size // 2]
