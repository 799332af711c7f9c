"""Points through the net and back: the residuals A U − b with the jets U of a net."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray

from nets.activations import ACTIVATIONS, smooth_relu, tanh
from nets.fast import tiles
from nets.fast.elementwise import TILE
from nets.fast.shape import Shape
from nets.fast.tiles import SMOOTH_RELU, TABULATED, TANH, ByPoint, Net, Points, Sums, Tile, net_of
from nets.module import Network

Array = NDArray[Any]  # float64 or float32
COMPILED = {tanh: TANH, smooth_relu: SMOOTH_RELU}
TILES_AT_ONCE = 8  # of a block of the Jacobian, or of activations that torch evaluates
POINTS_AT_ONCE = 4096  # of `jets_at`
DIMENSION = 3


class PointSweep:
    """r = A U − b at points, and its derivatives in θ.

    x is (N, inputs), A (M, channels, outputs, N), b (M, N); `derivatives` of the activation make
    the jets, and their adjoint needs one more. The last tile is filled up with points whose A and
    b are zero. tanh and smoothReLU are evaluated tile by tile; any other activation, which torch
    knows, before each block of tiles.
    """

    def __init__(
        self, net: Network, shape: Shape, x: Array, A: Array, b: Array, derivatives: int = 0
    ) -> None:
        self.activation, self.shape, self.kinds = net.sigma, shape, derivatives + 2
        self.N, self.count = len(x), -(-len(x) // TILE)
        self.slot, dtype = max(shape.widths[:-1]), x.dtype
        self.tile = _buffers(shape, self.slot, A.shape[1], self.kinds, dtype)
        sigma = next((c for f, c in COMPILED.items() if ACTIVATIONS.get(net.sigma.name) is f), 0)
        table = (shape.hidden, self.slot, TILES_AT_ONCE, self.kinds * TILE)
        coefficients = np.swapaxes(A, 1, 2).reshape(len(A), A.shape[1] * A.shape[2], self.N)
        self.points = Points(
            x=_filled(x.T, self.count),
            sigma=sigma,
            eta=net.config.eta,
            table=np.zeros((0, 0, 0, 0) if sigma else table, dtype),
            A=_tiled(coefficients, self.count),
            b=_tiled(b, self.count),
        )
        self._r = np.zeros((len(b), self.count * TILE), dtype)

    def set_data(self, x: Array, b: Array) -> None:
        """Replace x and b by those of as many other points."""
        self.points.x[:, : self.N] = x.T
        self.points.b[:] = _tiled(b, self.count)

    def residuals(self, net: Net) -> Array:
        """r, (M, N)."""
        for first, end in self._blocks(net):
            tiles.all_residuals(net, self.tile, self.points, first, end, self._r)
        return self._r[:, : self.N]

    def gradient(self, net: Net, sums: Sums, weights: Array | None = None) -> Array:
        """Return r, and add the gradient of ½ Σ r²; with weights that of Σ weights · r."""
        if weights is not None:
            self._r[:, : self.N] = weights
        for first, end in self._blocks(net):
            given = weights is not None
            tiles.all_gradients(net, self.tile, self.points, first, end, self._r, given, sums)
        return self._r[:, : self.N]

    def jacobian(self, net: Net) -> Iterator[tuple[int, slice, ByPoint]]:
        """(m, points, Jᵀ of r[m] there), a block at a time."""
        layers, M = len(net.C), self.points.A.shape[1]
        for first, end in self._blocks(net, TILES_AT_ONCE):
            columns, at = TILE * (end - first), first * TILE
            rows = ByPoint(
                np.zeros((len(net.theta), M * columns)),
                np.zeros((layers, layers, M * columns)),
                np.zeros((layers - 1, M * columns)),
            )
            tiles.all_rows(net, self.tile, self.points, first, end, rows)
            inside = min(columns, self.N - at)
            for m in range(M):
                here = slice(m * columns, m * columns + inside)
                yield m, slice(at, at + inside), ByPoint(*(part[..., here] for part in rows))

    def jets(self, net: Net) -> Array:
        """U, (outputs, channels, N)."""
        outputs, columns = self.tile.output.shape
        out = np.empty((outputs * columns // TILE, self.count * TILE), self.points.x.dtype)
        for first, end in self._blocks(net, adjoint=False):
            tiles.all_jets(net, self.tile, self.points, first, end, out)
        return out[:, : self.N].reshape(outputs, -1, self.N)

    def _blocks(
        self, net: Net, size: int | None = None, *, adjoint: bool = True
    ) -> Iterator[tuple[int, int]]:
        """The tiles [first, end) one block after the other, with the table of their activations."""
        step = TILES_AT_ONCE if self.points.sigma == TABULATED else size or max(1, self.count)
        for first in range(0, self.count, step):
            end = min(first + step, self.count)
            if self.points.sigma == TABULATED:
                self._tabulate(net, first, end, self.kinds if adjoint else self.kinds - 1)
            yield first, end

    def _tabulate(self, net: Net, first: int, end: int, kinds: int) -> None:
        """Evaluate σ and its derivatives of every layer, from the values of the net alone."""
        sigma = self.activation
        functions: tuple[Any, ...] = (sigma.value, sigma.slope, sigma.curvature, sigma.third)
        y = [np.ascontiguousarray(self.points.x[:, first * TILE : end * TILE])]
        for l, width in enumerate(self.shape.widths[1:-1]):
            W, b = tiles.weight(net.theta, net, l), tiles.bias(net.theta, net, l)
            z = torch.from_numpy(W @ y[l] + b[:, None])
            values = [function(z).numpy() for function in functions[:kinds]]
            for k, array in enumerate(values):
                here = slice(k * TILE, (k + 1) * TILE)
                place = self.points.table[l, :width, : end - first, here]
                place[:] = array.reshape(width, end - first, TILE)
            y.append(net.s[l] * values[0])
            for k in range(net.first, l + 1):
                tiles.add_scaled(net.C[l + 1, k], y[k], y[l + 1])


def jets_at(
    net: Network, x: Array, channels: int = 1, derivatives: int = 0, dtype: DTypeLike = np.float64
) -> Array:
    """The jets (channels, outputs, N) of a net at the rows of x, or its values."""
    shape, out = Shape(net), np.empty((channels, net.widths[-1], len(x)), dtype)
    numbers = net_of(net, net.pack().astype(dtype), shape)
    for first in range(0, len(x), POINTS_AT_ONCE):
        part = np.asarray(x[first : first + POINTS_AT_ONCE], dtype)
        A, b = np.zeros((0, *out.shape[:2], len(part)), dtype), np.zeros((0, len(part)), dtype)
        found = PointSweep(net, shape, part, A, b, derivatives).jets(numbers)
        out[:, :, first : first + len(part)] = np.swapaxes(found, 0, 1)
    return out


def _buffers(shape: Shape, slot: int, channels: int, kinds: int, dtype: DTypeLike) -> Tile:
    hidden, size, outputs = shape.hidden, channels * TILE, shape.widths[-1]
    y = np.zeros((hidden + 1, slot, size), dtype)
    for j in range(DIMENSION if channels > 1 else 0):
        y[0, j, (1 + j) * TILE : (2 + j) * TILE] = 1.0
    scratch = np.zeros(TILE)
    return Tile(
        y=y,
        z=np.zeros((hidden, slot, size), dtype),
        d=np.zeros((hidden, slot, kinds * TILE), dtype),
        phi=np.zeros((hidden + 1, slot, size), dtype),
        g=np.zeros((slot, size), dtype),
        term=np.zeros((slot, size), dtype),
        output=np.zeros((outputs, size), dtype),
        cotangent=np.zeros((outputs, size), dtype),
        inner=np.zeros(TILE, dtype),
        product=np.zeros(max(shape.widths[1:]) * slot, dtype),
        scratch=scratch,
        bits=scratch.view(np.int64),
    )


def _filled(array: Array, count: int) -> Array:
    """The array (…, points) with zeros after its last points, to the end of a tile."""
    after = count * TILE - array.shape[-1]
    return np.pad(np.ascontiguousarray(array), [(0, 0)] * (array.ndim - 1) + [(0, after)])


def _tiled(array: Array, count: int) -> Array:
    """(…, points) as (tiles, …, TILE)."""
    parts = _filled(array, count).reshape(*array.shape[:-1], count, TILE)
    return np.ascontiguousarray(np.moveaxis(parts, -2, 0))
