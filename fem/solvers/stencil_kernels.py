"""Compiled passes of stencils over vectors, for the planes start ≤ i < stop.

Everything that conjugate gradients needs of a product is taken in the same pass: the scalar product
with A p, and the preconditioned residual, which is never stored. What is done per line is inlined
by force: called, it copies descriptors of nine arrays and counts their references, which took a
third of a product and half of a preconditioner (n = 64), more on shorter lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
inlined = njit(nogil=True, cache=True, fastmath={"reassoc", "contract"}, forceinline=True)


@compiled
def apply(out: Any, x: Any, to: Any, stencil: Any, start: int, stop: int) -> None:
    """out ← S x, with the layout `to` of out; the stencil knows that of x."""
    for i in range(start, stop):
        for j in range(to.cells[1] + 1):
            for c in range(to.starts.size):
                if i < to.shapes[c, 0] and j < to.shapes[c, 1]:
                    first, length = _line_of(to, c, i, j)
                    _product(out[first : first + length], x, to, stencil, c, i, j)


@compiled
def apply_dot(out: Any, x: Any, at: Any, stencil: Any, start: int, stop: int) -> float:
    """out ← A x; returns the part of x·A x in these planes."""
    total = 0.0
    for i in range(start, stop):
        for j in range(at.cells[1] + 1):
            for c in range(at.starts.size):
                if i < at.shapes[c, 0] and j < at.shapes[c, 1]:
                    first, length = _line_of(at, c, i, j)
                    line = out[first : first + length]
                    _product(line, x, at, stencil, c, i, j)
                    total += _dot(x[first : first + length], line)
    return total


@compiled
def precondition_dot(
    r: Any, w: Any, at: Any, pi: Any, smoother: Any, start: int, stop: int
) -> float:
    """The part of r·z in these planes, z = D r + Π w, D = diag(smoother by class and side)."""
    z = np.empty(at.cells[2] + 1, r.dtype)
    total = 0.0
    for i in range(start, stop):
        for j in range(at.cells[1] + 1):
            for c in range(at.starts.size):
                if i < at.shapes[c, 0] and j < at.shapes[c, 1]:
                    first, length = _line_of(at, c, i, j)
                    line = r[first : first + length]
                    _preconditioned(z[:length], line, w, at, pi, smoother, c, i, j)
                    total += _dot(line, z[:length])
    return total


@compiled
def direction(
    p: Any, beta: Any, r: Any, w: Any, at: Any, pi: Any, smoother: Any, start: int, stop: int
) -> None:
    """p ← z + β p with z as above."""
    z = np.empty(at.cells[2] + 1, r.dtype)
    for i in range(start, stop):
        for j in range(at.cells[1] + 1):
            for c in range(at.starts.size):
                if i < at.shapes[c, 0] and j < at.shapes[c, 1]:
                    first, length = _line_of(at, c, i, j)
                    line = r[first : first + length]
                    _preconditioned(z[:length], line, w, at, pi, smoother, c, i, j)
                    target = p[first : first + length]
                    for k in range(length):
                        target[k] = z[k] + beta * target[k]


@inlined
def _preconditioned(
    z: Any, r: Any, w: Any, at: Any, pi: Any, smoother: Any, c: int, i: int, j: int
) -> None:
    """z ← D r + Π w on one line; Π is the same at every side, so that the line is not cut."""
    n, side = at.cells[2], _sides(at, c, i, j)
    _segment(z, w, pi, c, side + 1, i, j, 0)
    inner = smoother[c, side + 1]
    for k in range(z.size):
        z[k] += inner * r[k]
    if z.size == n + 1:  # the line ends on the boundary
        z[0] += (smoother[c, side] - inner) * r[0]
        z[n] += (smoother[c, side + 2] - inner) * r[n]


@inlined
def _product(line: Any, x: Any, to: Any, stencil: Any, c: int, i: int, j: int) -> None:
    """line ← the row (c, i, j, ·) of S x."""
    n, side = to.cells[2], _sides(to, c, i, j)
    if line.size == n:
        _segment(line, x, stencil, c, side + 1, i, j, 0)
    else:
        _segment(line[:1], x, stencil, c, side, i, j, 0)
        _segment(line[1:n], x, stencil, c, side + 1, i, j, 1)
        _segment(line[n:], x, stencil, c, side + 2, i, j, n)


@inlined
def _segment(line: Any, x: Any, stencil: Any, c: int, side: int, i: int, j: int, k: int) -> None:
    """line ← Σ_t coefficient x[first + i by_i + j by_j + k + (0, 1, …)], UNROLL terms at a time."""
    size = line.size
    first, by_i, by_j = stencil.first[c, side], stencil.by_i[c, side], stencil.by_j[c, side]
    a = stencil.coefficients[c, side]
    for t in range(0, stencil.counts[c, side], 4):
        f0 = first[t] + i * by_i[t] + j * by_j[t] + k
        f1 = first[t + 1] + i * by_i[t + 1] + j * by_j[t + 1] + k
        f2 = first[t + 2] + i * by_i[t + 2] + j * by_j[t + 2] + k
        f3 = first[t + 3] + i * by_i[t + 3] + j * by_j[t + 3] + k
        x0, x1, x2, x3 = x[f0 : f0 + size], x[f1 : f1 + size], x[f2 : f2 + size], x[f3 : f3 + size]
        a0, a1, a2, a3 = a[t], a[t + 1], a[t + 2], a[t + 3]
        if t == 0:
            for m in range(size):
                line[m] = a0 * x0[m] + a1 * x1[m] + a2 * x2[m] + a3 * x3[m]
        else:
            for m in range(size):
                line[m] += a0 * x0[m] + a1 * x1[m] + a2 * x2[m] + a3 * x3[m]


@inlined
def _line_of(at: Any, c: int, i: int, j: int) -> Any:
    """Start and length of the line (c, i, j, ·)."""
    shape = at.shapes[c]
    return at.starts[c] + (i * shape[1] + j) * shape[2], shape[2]


@inlined
def _sides(at: Any, c: int, i: int, j: int) -> int:
    """Code of the sides of (i, j); that of k is added to it."""
    return 9 * _side(i, at.shapes[c, 0], at.cells[0]) + 3 * _side(j, at.shapes[c, 1], at.cells[1])


@inlined
def _side(i: int, length: int, n: int) -> int:
    if length == n or 0 < i < n:
        return 1
    return 0 if i == 0 else 2


@inlined
def _dot(a: Any, b: Any) -> float:
    total = 0.0
    for k in range(a.size):
        total += np.float64(a[k]) * b[k]
    return total
