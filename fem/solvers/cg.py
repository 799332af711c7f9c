"""Preconditioned conjugate gradients (Hestenes and Stiefel, 1952), one loop for every system.

A system may fuse its products with the passes over memory that they need anyway: the structured
tetrahedra never store z = B r, which saves a vector of 942 million entries at n = 512.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from base.errors import NotConverged
from fem.spaces import PLAIN, How, LinearSolve
from fem.threads import each, ranges

Vector = NDArray[Any]  # float64 or float32
MAX_ITERATIONS = 500
BLOCK = 1 << 16  # entries a piece of vector arithmetic: fixed, so that threads change no sum


class System(Protocol):
    """A symmetric positive definite matrix A with a preconditioner B."""

    def apply_dot(self, p: Vector, q: Vector) -> float:
        """Set q ← A p and return p·q."""

    def precondition_dot(self, r: Vector) -> float:
        """Prepare z = B r and return r·z."""

    def direction(self, p: Vector, r: Vector, beta: float) -> None:
        """p ← z + β p with the z prepared last."""


class MatrixSystem:
    """A system of two functions of vectors, for A and B cheap compared with their vectors."""

    def __init__(
        self, apply: Callable[[Vector], Vector], precondition: Callable[[Vector], Vector]
    ) -> None:
        self._apply, self._precondition = apply, precondition

    def apply_dot(self, p: Vector, q: Vector) -> float:
        q[:] = self._apply(p)
        return float(p @ q)

    def precondition_dot(self, r: Vector) -> float:
        self._z = self._precondition(r)
        return float(r @ self._z)

    def direction(self, p: Vector, r: Vector, beta: float) -> None:
        p *= beta
        p += self._z


def conjugate_gradients(
    system: System,
    r: Vector,
    x: Vector,
    how: How = PLAIN,
    norm_b: float | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> LinearSolve:
    """Improve x until ‖r‖ ≤ tol ‖b‖, where r = b − A x on entry; works in x and r.

    `norm_b` is ‖b‖ (‖r‖ on entry if x is the zero vector). Progress is counted in digits.
    """
    tol, threads = how.tol, how.threads
    norm_b = norm(r, threads) if norm_b is None else norm_b
    residual = norm(r, threads) / norm_b if norm_b else 0.0
    p, q = np.zeros(r.shape, r.dtype), np.empty_like(r)  # zeros_like fills it in one thread
    rho = math.inf
    for iteration in range(max_iterations + 1):
        how.report("solve", -math.log10(max(residual, tol)), -math.log10(tol))
        if residual <= tol:
            return LinearSolve(x, iteration, residual)
        if not math.isfinite(residual):
            break
        previous, rho = rho, system.precondition_dot(r)
        system.direction(p, r, rho / previous)
        curvature = system.apply_dot(p, q)
        if not rho * curvature > 0:  # A or B is not positive definite, or not finite
            break
        alpha = rho / curvature
        residual = math.sqrt(advance(x, r, p, q, alpha, threads)) / norm_b
    raise NotConverged(
        f"conjugate gradients stopped after {iteration} iterations at a relative residual of "
        f"{residual:.1e} instead of {tol:.1e}; use a larger tol or another solver"
    )


def norm(v: Vector, threads: int = 1) -> float:
    """‖v‖, summed in float64."""
    return math.sqrt(_summed(lambda a, b: _square(v[a:b]), v.size, threads))


def advance(x: Vector, r: Vector, p: Vector, q: Vector, alpha: float, threads: int = 1) -> float:
    """x ← x + α p, r ← r − α q in one pass; returns r·r."""
    step = x.dtype.type(alpha)
    return _summed(lambda a, b: _advance(x[a:b], r[a:b], p[a:b], q[a:b], step), x.size, threads)


def _summed(part: Callable[[int, int], float], size: int, threads: int) -> float:
    """Σ part over intervals of BLOCK entries, always in the same order."""

    def run(piece: tuple[int, int]) -> list[float]:
        return [part(BLOCK * k, min(BLOCK * (k + 1), size)) for k in range(*piece)]

    pieces = ranges(-(-size // BLOCK), threads)
    return math.fsum(term for terms in each(run, pieces, threads) for term in terms)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _square(v: Vector) -> float:
    total = 0.0
    for k in range(v.size):
        total += np.float64(v[k]) * v[k]
    return total


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _advance(x: Vector, r: Vector, p: Vector, q: Vector, alpha: float) -> float:
    total = 0.0
    for k in range(x.size):
        x[k] += alpha * p[k]
        r[k] -= alpha * q[k]
        total += np.float64(r[k]) * r[k]
    return total
