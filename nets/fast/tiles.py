"""A net on TILE points at a time and back, in numba: jets, gradient and rows of a Jacobian.

States and adjoints of a tile stay in the second-level cache. Matrix products are BLAS calls from
compiled code (54 GF/s for 20 × 20 × 320, of 58 that one core does; torch does 34). A buffer is
(features, channels · TILE), so that one product with W serves all channels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from nets.fast.elementwise import (
    REORDERED_SUMS,
    TILE,
    pull,
    push,
    smooth_relu_derivatives,
    tanh_derivatives,
)
from nets.fast.shape import Shape
from nets.fast.stacks import add_inner_products, recall, recall_adjoint
from nets.module import Network

Array = NDArray[Any]  # float64 or float32
TABULATED, TANH, SMOOTH_RELU = 0, 1, 2  # how the activation is evaluated


class Net(NamedTuple):
    """The parameters at which a net is taken."""

    theta: Array  # W.0, b.0, …, W.{L−1}, τ
    starts: NDArray[np.int64]  # where each W lies in θ
    widths: NDArray[np.int64]
    C: Array
    s: Array
    first: int  # the first layer that later ones read
    moving_C: bool  # whether C depends on τ
    stacked: bool  # whether skips are taken from stacks of states: deep nets with long skips


class Points(NamedTuple):
    """All points of a term, a whole number of tiles."""

    x: Array  # (inputs, points)
    sigma: int
    eta: float
    table: Array  # σ, σ′, …, (H, features, tiles of a block, kinds · TILE), if TABULATED
    A: Array  # (tiles, M, outputs · channels, TILE)
    b: Array  # (tiles, M, TILE)


class Tile(NamedTuple):
    """The buffers of a tile."""

    y: Array  # states 0..H; y[0] are the jets of the input
    z: Array  # pre-activations of layers 1..H without b
    d: Array  # σ, σ′, … of layers 1..H, (H, features, kinds · TILE)
    phi: Array  # adjoints of the states 0..H
    g: Array  # adjoint of one pre-activation
    term: Array  # what a layer adds to its skips
    output: Array
    cotangent: Array
    inner: Array  # (TILE,): ⟨φ, σ⟩ of one layer
    product: Array  # the gradient in one W
    scratch: Array
    bits: NDArray[np.int64]  # the same memory


class Sums(NamedTuple):
    """The gradient of a loss, and what dJ/dτ is made of."""

    theta: Array
    C: Array
    s: Array
    phi_squared: Array  # ‖φ[ℓ]‖² at ℓ


class ByPoint(NamedTuple):
    """The gradients of one residual at every point: columns of Jᵀ, and those in C and s."""

    theta: Array  # (parameters, points)
    C: Array
    s: Array


def contiguous(coefficients: Tensor, dtype: DTypeLike) -> Array:
    """The numbers of C or s; for any other layout all would be compiled again."""
    return np.ascontiguousarray(coefficients.detach().numpy(), dtype=dtype)


def net_of(net: Network, theta: Array, shape: Shape) -> Net:
    """The net at θ with its present τ."""
    C, s = net.architecture.coefficients(net.tau.detach().double(), net.config.gamma)
    widths = np.array(shape.widths)
    sizes = widths[1:] * (widths[:-1] + 1)
    return Net(
        theta=theta,
        starts=np.concatenate([[0], np.cumsum(sizes[:-1])]),
        widths=widths,
        C=contiguous(C, theta.dtype),
        s=contiguous(s, theta.dtype),
        first=shape.first,
        moving_C=shape.moving_C,
        stacked=shape.stacked,
    )


@numba.njit(cache=True)
def weight(theta, net, l):  # type: ignore[no-untyped-def]
    """W[ℓ], or its place in a gradient."""
    rows, columns, start = net.widths[l + 1], net.widths[l], net.starts[l]
    return theta[start : start + rows * columns].reshape(rows, columns)


@numba.njit(cache=True)
def bias(theta, net, l):  # type: ignore[no-untyped-def]
    """b[ℓ], or its place in a gradient."""
    start = net.starts[l] + net.widths[l + 1] * net.widths[l]
    return theta[start : start + net.widths[l + 1]]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def add_scaled(c, a, out):  # type: ignore[no-untyped-def]
    """out += c a, on the rows that both have."""
    for i in range(min(len(a), len(out))):
        for n in range(out.shape[1]):
            out[i, n] += c * a[i, n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def inner_product(a, b):  # type: ignore[no-untyped-def]
    """⟨a, b⟩ over the rows that both have."""
    total = 0.0
    for i in range(min(len(a), len(b))):
        for n in range(a.shape[1]):
            total += a[i, n] * b[i, n]
    return total


@numba.njit(cache=True)
def stack(layers, net):  # type: ignore[no-untyped-def]
    """The states or adjoints that later layers read, each as one row."""
    read = layers[net.first :]
    return read.reshape(len(read), read.shape[1] * read.shape[2])


@numba.njit(cache=True)
def forward(net, tile, points, t, first):  # type: ignore[no-untyped-def]
    """Set the jets of all states and of the output at tile t; the table begins at tile `first`."""
    hidden = len(tile.z)
    x = tile.y[0, : net.widths[0]]
    for i in range(len(x)):
        x[i, :TILE] = points.x[i, t * TILE : (t + 1) * TILE]
    for l in range(1, hidden + 1):
        z, d = tile.z[l - 1, : net.widths[l]], tile.d[l - 1]
        np.dot(weight(net.theta, net, l - 1), tile.y[l - 1, : net.widths[l - 1]], z)
        b = bias(net.theta, net, l - 1)
        if points.sigma == TANH:
            tanh_derivatives(z, b, tile.scratch, tile.bits, d)
        elif points.sigma == SMOOTH_RELU:
            smooth_relu_derivatives(z, b, z.dtype.type(points.eta), d)
        else:
            d[:] = points.table[l - 1, :, t - first]
        add_skips(net, tile, l)
    np.dot(weight(net.theta, net, hidden), tile.y[hidden, : net.widths[hidden]], tile.output)


@numba.njit(cache=True)
def add_skips(net, tile, l):  # type: ignore[no-untyped-def]
    """y[ℓ] = s σ(z) + Σ_{k<ℓ} C[ℓ,k] P y[k]."""
    z, d, y = tile.z[l - 1, : net.widths[l]], tile.d[l - 1], tile.y[l, : net.widths[l]]
    if net.stacked:
        recall(net.C, stack(tile.y, net), l - net.first, net.first)
        tile.y[l, net.widths[l] :] = 0.0
        push(z, d, net.s[l - 1], tile.term[: net.widths[l]])
        add_scaled(z.dtype.type(1.0), tile.term, y)
    else:
        push(z, d, net.s[l - 1], y)
        for k in range(net.first, l):
            if net.C[l, k] != 0.0:
                add_scaled(net.C[l, k], tile.y[k, : net.widths[k]], y)


@numba.njit(cache=True)
def pull_layer(net, tile, l):  # type: ignore[no-untyped-def]
    """φ[ℓ] = Wᵀ g + Σ_{m>ℓ} C[m,ℓ] Pᵀ φ[m], then g and `inner` of layer ℓ; from the last down."""
    hidden = len(tile.z)
    phi, W = tile.phi[l, : net.widths[l]], weight(net.theta, net, l)
    above = tile.cotangent if l == hidden else tile.g[: len(W)]
    if net.stacked:
        recall_adjoint(net.C, stack(tile.phi, net), l - net.first, net.first)
        tile.phi[l, net.widths[l] :] = 0.0
        np.dot(W.T, above, tile.term[: net.widths[l]])
        add_scaled(phi.dtype.type(1.0), tile.term, phi)
    else:
        np.dot(W.T, above, phi)
        for m in range(l + 1, hidden + 1):
            if net.C[m, l] != 0.0:
                add_scaled(net.C[m, l], tile.phi[m, : net.widths[m]], phi)
    pull(tile.z[l - 1], tile.d[l - 1], net.s[l - 1], phi, tile.g, tile.inner)


@numba.njit(cache=True)
def add_gradient(net, tile, sums):  # type: ignore[no-untyped-def]
    """Add the gradient that the cotangent of the output gives; call `forward` first."""
    hidden = len(tile.z)
    add_outer(tile, tile.cotangent, tile.y[hidden], weight(sums.theta, net, hidden))
    for l in range(hidden, 0, -1):
        pull_layer(net, tile, l)
        phi = tile.phi[l, : net.widths[l]]
        sums.s[l - 1] += tile.inner.sum()
        sums.phi_squared[l] += inner_product(phi, phi)
        if net.moving_C and not net.stacked:
            for k in range(net.first, l):
                sums.C[l, k] += inner_product(tile.y[k, : net.widths[k]], phi)
        add_values(tile.g, bias(sums.theta, net, l - 1))
        add_outer(tile, tile.g, tile.y[l - 1], weight(sums.theta, net, l - 1))
    if net.moving_C and net.stacked:
        add_inner_products(stack(tile.phi, net), stack(tile.y, net), net.first, sums.C)


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def add_values(g, out):  # type: ignore[no-untyped-def]
    """out += the sums of the value channel over the points."""
    for i in range(len(out)):
        total = 0.0
        for n in range(TILE):
            total += g[i, n]
        out[i] += total


@numba.njit(cache=True)
def add_outer(tile, g, y, out):  # type: ignore[no-untyped-def]
    """out += g yᵀ, summed over channels and points."""
    product = tile.product[: out.size].reshape(out.shape)
    np.dot(g[: len(out)], y[: out.shape[1]].T, product)
    out += product


@numba.njit(cache=True)
def set_rows(net, tile, rows, at):  # type: ignore[no-untyped-def]
    """Set Jᵀ at the points of the tile, for one row of A in the cotangent; `forward` goes first."""
    hidden, end = len(tile.z), at + TILE
    outer_by_point(net, hidden, tile.cotangent, tile.y[hidden], rows.theta, at)
    for l in range(hidden, 0, -1):
        pull_layer(net, tile, l)
        rows.s[l - 1, at:end] = tile.inner
        if net.moving_C:
            for k in range(net.first, l):
                common = min(net.widths[k], net.widths[l])
                products_by_point(tile.y[k], tile.phi[l], common, rows.C[l, k, at:end])
        b = net.starts[l - 1] + net.widths[l] * net.widths[l - 1]
        for i in range(net.widths[l]):
            rows.theta[b + i, at:end] = tile.g[i, :TILE]
        outer_by_point(net, l - 1, tile.g, tile.y[l - 1], rows.theta, at)


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def outer_by_point(net, l, g, y, rows, at):  # type: ignore[no-untyped-def]
    """rows[place of W[ℓ][i, j], at + n] = Σ_c g[i, c, n] y[j, c, n]."""
    place = net.starts[l]
    for i in range(net.widths[l + 1]):
        for j in range(net.widths[l]):
            for n in range(TILE):
                rows[place, at + n] = g[i, n] * y[j, n]
            for c in range(TILE, g.shape[1], TILE):
                for n in range(TILE):
                    rows[place, at + n] += g[i, c + n] * y[j, c + n]
            place += 1


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def products_by_point(a, b, width, out):  # type: ignore[no-untyped-def]
    """out[n] = Σ a[i, c, n] b[i, c, n] over the first `width` features."""
    out[:] = 0.0
    for i in range(width):
        for c in range(0, a.shape[1], TILE):
            for n in range(TILE):
                out[n] += a[i, c + n] * b[i, c + n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def combine(A, U, b, r, at):  # type: ignore[no-untyped-def]
    """r = A U − b, from the column `at` on."""
    for m in range(len(A)):
        for n in range(TILE):
            r[m, at + n] = -b[m, n]
        for k in range(A.shape[1]):
            for n in range(TILE):
                r[m, at + n] += A[m, k, n] * U[k, n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def spread(A, weights, at, out):  # type: ignore[no-untyped-def]
    """out = Aᵀ weights, with the weights from the column `at` on."""
    for k in range(A.shape[1]):
        for n in range(TILE):
            out[k, n] = 0.0
        for m in range(len(A)):
            for n in range(TILE):
                out[k, n] += A[m, k, n] * weights[m, at + n]


@numba.njit(cache=True)
def by_channel(array):  # type: ignore[no-untyped-def]
    """(outputs, channels · TILE) as (outputs · channels, TILE)."""
    return array.reshape(array.size // TILE, TILE)


@numba.njit(cache=True)
def all_residuals(net, tile, points, first, end, r):  # type: ignore[no-untyped-def]
    """r = A U − b with the jets U of the net, (M, points), in the tiles [first, end)."""
    for t in range(first, end):
        forward(net, tile, points, t, first)
        combine(points.A[t], by_channel(tile.output), points.b[t], r, t * TILE)


@numba.njit(cache=True)
def all_gradients(net, tile, points, first, end, r, given, sums):  # type: ignore[no-untyped-def]
    """Set r unless it is given, and add the gradient of Σ r·(A U − b) with r held fixed."""
    for t in range(first, end):
        forward(net, tile, points, t, first)
        if not given:
            combine(points.A[t], by_channel(tile.output), points.b[t], r, t * TILE)
        spread(points.A[t], r, t * TILE, by_channel(tile.cotangent))
        add_gradient(net, tile, sums)


@numba.njit(cache=True)
def all_rows(net, tile, points, first, end, rows):  # type: ignore[no-untyped-def]
    """Set dr[m, n]/dθ in the column m · N + n, for the N points of the tiles [first, end)."""
    for t in range(first, end):
        forward(net, tile, points, t, first)
        for m in range(points.A.shape[1]):
            by_channel(tile.cotangent)[:] = points.A[t, m]
            set_rows(net, tile, rows, (m * (end - first) + t - first) * TILE)


@numba.njit(cache=True)
def all_jets(net, tile, points, first, end, out):  # type: ignore[no-untyped-def]
    """Set the jets of the net, (outputs · channels, points)."""
    for t in range(first, end):
        forward(net, tile, points, t, first)
        out[:, t * TILE : (t + 1) * TILE] = by_channel(tile.output)
