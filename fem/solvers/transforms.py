"""The hexahedral system on the uniform cube, solved exactly by fast sine and cosine transforms.

Lowest-order edge functions are P0 along their edge and P1 across. Let θ_m = πm/n. Cosine modes
c_m(j) = cos(θ_m j), m = 0..n, diagonalise the P1 matrices against W = diag(½, 1, …, 1, ½):

    mass:  h (2 + cos θ_m)/3 W c_m =: μ_m W c_m;   difference: c_m(j+1) − c_m(j) = −δ_m s_m(j),
    δ_m = 2 sin(θ_m/2),  s_m(j) = sin(θ_m (j + ½)), m = 1..n, the sine modes of P0.

With κ_m = δ_m/√(h μ_m), and the three components of a mode (m, p, q) scaled by √(h/(μ_p μ_q)) and
so on, the H(curl) matrix of the mode is (1 + |κ|²) I − κκᵀ; its inverse is
(I + κκᵀ)/(1 + |κ|²). On short lines matrix products are faster than fast transforms.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.spaces import Array
from fem.spaces.bricks.tensor import combine
from fem.spaces.cube.cells import HEX_CLASSES, split
from fem.threads import each, ranges

# Up to this n transforms are matrix products. Milliseconds of a solve by products and by scipy.fft,
# float32, one thread, n = 8, 16, 32, 64, 96: 0.06, 0.12, 1.1, 9.8, 46 and 0.21, 0.35, 1.6, 11, 41.
LONGEST_PRODUCT = 64


def solve_hex(b: NDArray[Any], n: int, threads: int = 1) -> None:
    """Overwrites the load b (float64 or float32) by the solution of the hexahedral system."""
    parts = split(b, n, HEX_CLASSES)
    if n <= LONGEST_PRODUCT:
        there, back = _tables(n, b.dtype.str)
        _multiply(parts, there, threads)
        _invert(parts, n, threads)
        _multiply(parts, back, threads)
        return
    for axis, part in enumerate(parts):
        _analyse(part, axis, threads)
    _invert(parts, n, threads)
    for axis, part in enumerate(parts):
        _synthesise(part, axis, threads)


def _multiply(parts: list[NDArray[Any]], tables: list[NDArray[Any]], threads: int) -> None:
    """Sine or cosine modes along every axis; the three components at a time, given threads."""

    def run(along: int) -> None:
        x, y, z = (tables[axis == along] for axis in range(3))
        combine(parts[along], x, y, z, out=parts[along])

    for _ in each(run, range(3), threads):
        pass


@cache
def _tables(n: int, dtype: str) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """2 cos θ_m j and 2 sin θ_m (j + ½), (modes, points), for the sums against modes; transposed,
    with the modes 0 and n halved, for their combinations."""
    m, j = np.arange(n + 1)[:, None], np.arange(n + 1)
    modes = [2 * np.cos(np.pi / n * m * j), 2 * np.sin(np.pi / n * m[1:] * (j[:n] + 0.5))]
    halved = [np.where(m[-len(t) :] % n == 0, t / 2, t).T for t in modes]
    there, back = ([np.ascontiguousarray(t, dtype) for t in kind] for kind in (modes, halved))
    return there, back


def _analyse(part: NDArray[Any], along: int, threads: int) -> None:
    """Sums against the sine modes along the edges and the cosine modes across, times 8."""
    for axis in range(3):
        if axis == along:
            _in_place("dst", 2, part, axis, threads)
        else:  # DCT-I halves the ends; W⁻¹ undoes it
            ends = np.moveaxis(part, axis, 0)
            ends[0] *= 2
            ends[-1] *= 2
            _in_place("dct", 1, part, axis, threads)


def _synthesise(part: NDArray[Any], along: int, threads: int) -> None:
    """The combination of modes, times 8, of coefficients whose ends (m = 0, n) are doubled."""
    for axis in range(3):
        _in_place(*(("dst", 3) if axis == along else ("dct", 1)), part, axis, threads)


def _in_place(name: str, kind: int, part: NDArray[Any], axis: int, threads: int) -> None:
    from scipy import fft  # it imports scipy.special: 0.1 CPU seconds, for long lines only

    result = getattr(fft, name)(part, kind, axis=axis, overwrite_x=True, workers=threads)
    if not np.may_share_memory(result, part):  # scipy may decline to overwrite
        part[:] = result


def _invert(parts: list[NDArray[Any]], n: int, threads: int) -> None:
    """Each mode's 3×3 block, with every factor of the transforms: w_m/N_m = 2/n, 8·8·(n/2)³."""
    x, y, z = parts
    g, kappa = _mode_factors(n)
    scale = 1 / (8 * n**3)

    def run(piece: tuple[int, int]) -> None:
        _invert_modes(x, y, z, g, kappa, scale, *piece)

    for _ in each(run, ranges(n + 1, 4 * threads), threads):
        pass


@cache
def _mode_factors(n: int) -> tuple[Array, Array]:
    """√h^{1/2}/√μ_m and κ_m for m = 0..n."""
    h, theta = 1 / n, np.pi * np.arange(n + 1) / n
    mu = h * (2 + np.cos(theta)) / 3
    return h**0.25 / np.sqrt(mu), 2 * np.sin(theta / 2) / np.sqrt(h * mu)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _invert_modes(
    ax: Any, ay: Any, az: Any, g: Any, kappa: Any, scale: float, start: int, stop: int
) -> None:
    """a ← D (I + κκᵀ) D a / (1 + |κ|²), D = diag(g_p g_q, g_m g_q, g_m g_p), for modes m.

    Component x exists for m ≥ 1, y for p ≥ 1, z for q ≥ 1; where one is missing its κ is zero,
    so a line of zeros stands in for it.
    """
    n = kappa.size - 1
    no_x, no_y = np.zeros(n + 1, ax.dtype), np.zeros(n + 1, ax.dtype)
    for m in range(start, stop):
        for p in range(n + 1):
            x = ax[m - 1, p] if m > 0 else no_x
            y = ay[m, p - 1] if p > 0 else no_y
            z = az[m, p]
            k2 = 1 + kappa[m] ** 2 + kappa[p] ** 2
            for q in range(1, n + 1):
                dx, dy, dz = g[p] * g[q], g[m] * g[q], g[m] * g[p]
                vx, vy, vz = dx * x[q], dy * y[q], dz * z[q - 1]
                t = kappa[m] * vx + kappa[p] * vy + kappa[q] * vz
                f = scale / (k2 + kappa[q] ** 2)
                x[q] = f * dx * (vx + kappa[m] * t)
                y[q] = f * dy * (vy + kappa[p] * t)
                z[q - 1] = f * dz * (vz + kappa[q] * t)
            dx, dy, f = g[p] * g[0], g[m] * g[0], scale / k2
            vx, vy = dx * x[0], dy * y[0]
            t = kappa[m] * vx + kappa[p] * vy
            x[0] = f * dx * (vx + kappa[m] * t)
            y[0] = f * dy * (vy + kappa[p] * t)
            no_x[:] = 0
            no_y[:] = 0
