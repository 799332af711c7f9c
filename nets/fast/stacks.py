"""Linear combinations and inner products of stacked states: the skips of deep nets, in numba.

A stack is (layers, features · rows). Its products with the small matrix C are wide and flat, the
shape for which BLAS is slowest (MKL: 6–10 GF/s for 8 layers against 42; float64, one thread). In
tiles of columns that stay in the first-level cache, four by two layers at a time: 26 GF/s.
"""

import numba
import numpy as np

from nets.fast.elementwise import REORDERED_SUMS

TILE = 512

# Layers whose skips from everything before them are fetched at once; the skips inside such a
# block go layer by layer. 4 and 8 cost the same at 50-50, 16 costs a tenth more.
BLOCK = 8


@numba.njit(cache=True)
def recall(C: np.ndarray, Y: np.ndarray, here: int, first: int) -> None:
    """Y[here] = Σ_{k<here} C[first+here, first+k] Y[k]; to be called for here = 0, 1, 2, …

    Slot `here` of the stack belongs to layer first+here. The first layer of a block fetches what
    its whole block reads of all earlier blocks.
    """
    start = here - here % BLOCK
    if here == start:
        stop = min(start + BLOCK, len(Y))
        weights = C[first + start : first + stop, first : first + start]
        combine(weights, Y[:start], Y[start:stop], False)
    else:
        weights = C[first + here : first + here + 1, first + start : first + here]
        combine(weights, Y[start:here], Y[here : here + 1], True)


@numba.njit(cache=True)
def recall_adjoint(C: np.ndarray, Phi: np.ndarray, here: int, first: int) -> None:
    """Phi[here] = Σ_{l>here} C[first+l, first+here] Phi[l]; to be called from the last down."""
    start = here - here % BLOCK
    stop = min(start + BLOCK, len(Phi))
    if here == stop - 1:
        weights = C[first + stop :, first + start : first + stop].T
        combine(weights, Phi[stop:], Phi[start:stop], False)
    else:
        weights = C[first + here + 1 : first + stop, first + here : first + here + 1].T
        combine(weights, Phi[here + 1 : stop], Phi[here : here + 1], True)


@numba.njit(cache=True)
def combine(weights: np.ndarray, stack: np.ndarray, out: np.ndarray, add: bool) -> None:
    """out = weights @ stack, added to `out` if `add`."""
    columns = out.shape[1]
    for a in range(0, columns, TILE):
        b = min(a + TILE, columns)
        if not add:
            out[:, a:b] = 0
        l = 0
        while l + 4 <= len(out):
            _add_to_four_layers(weights, stack, out, l, a, b)
            l += 4
        while l < len(out):
            _add_to_one_layer(weights, stack, out, l, a, b)
            l += 1


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _add_to_four_layers(weights, stack, out, l, a, b):  # type: ignore[no-untyped-def]
    y0, y1, y2, y3 = out[l, a:b], out[l + 1, a:b], out[l + 2, a:b], out[l + 3, a:b]
    last = len(stack) - 1
    for k in range(0, len(stack), 2):
        p, q = stack[k, a:b], stack[min(k + 1, last), a:b]
        c0, c1, c2, c3 = weights[l, k], weights[l + 1, k], weights[l + 2, k], weights[l + 3, k]
        d0 = d1 = d2 = d3 = stack.dtype.type(0)
        if k < last:
            d0, d1 = weights[l, k + 1], weights[l + 1, k + 1]
            d2, d3 = weights[l + 2, k + 1], weights[l + 3, k + 1]
        for j in range(b - a):
            u, v = p[j], q[j]
            y0[j] += c0 * u + d0 * v
            y1[j] += c1 * u + d1 * v
            y2[j] += c2 * u + d2 * v
            y3[j] += c3 * u + d3 * v


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _add_to_one_layer(weights, stack, out, l, a, b):  # type: ignore[no-untyped-def]
    y = out[l, a:b]
    k = 0
    while k + 2 <= len(stack):
        p, q, c, d = stack[k, a:b], stack[k + 1, a:b], weights[l, k], weights[l, k + 1]
        for j in range(b - a):
            y[j] += c * p[j] + d * q[j]
        k += 2
    if k < len(stack):
        p, c = stack[k, a:b], weights[l, k]
        for j in range(b - a):
            y[j] += c * p[j]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def add_inner_products(Phi: np.ndarray, Y: np.ndarray, first: int, dC: np.ndarray) -> None:
    """dC[first+l, first+k] += ⟨Phi[l], Y[k]⟩ for all k < l; two by four layers at a time."""
    zero = Phi.dtype.type(0)
    layers, columns = Phi.shape
    for a in range(0, columns, TILE):
        b = min(a + TILE, columns)
        for l in range(1, layers, 2):
            below = min(l + 1, layers - 1)
            p, q = Phi[l, a:b], Phi[below, a:b]
            for k in range(0, below, 4):
                # Beyond the diagonal a layer stands in for itself and its products are dropped.
                k1, k2, k3 = min(k + 1, below), min(k + 2, below), min(k + 3, below)
                y0, y1, y2, y3 = Y[k, a:b], Y[k1, a:b], Y[k2, a:b], Y[k3, a:b]
                p0 = p1 = p2 = p3 = q0 = q1 = q2 = q3 = zero
                for j in range(b - a):
                    u, v = p[j], q[j]
                    p0 += u * y0[j]
                    p1 += u * y1[j]
                    p2 += u * y2[j]
                    p3 += u * y3[j]
                    q0 += v * y0[j]
                    q1 += v * y1[j]
                    q2 += v * y2[j]
                    q3 += v * y3[j]
                for i, (s, t) in enumerate(((p0, q0), (p1, q1), (p2, q2), (p3, q3))):
                    if k + i < l:
                        dC[first + l, first + k + i] += s
                    if l < below and k + i < below:
                        dC[first + below, first + k + i] += t
