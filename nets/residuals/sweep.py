"""The points of one term through the net and back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from nets.activations import ACTIVATIONS, Activation, tanh
from nets.fast.shape import Shape
from nets.residuals import tiles
from nets.residuals.elementwise import TILE
from nets.residuals.jets import CHANNELS, DERIVATIVES, DIMENSION
from nets.residuals.tiles import ByPoint, Net, Points, Sums, Tile

Array = NDArray[np.float64]
TILES_AT_ONCE = 8  # of a block of the Jacobian


class PointSweep:
    """The residuals A U − b at points x with the jets U of a net, and their derivatives in θ.

    x is (N, inputs), A (M, channels, outputs, N), b (M, N). The last tile is filled up with points
    whose A and b are zero. tanh is evaluated tile by tile; any other activation, which torch
    knows, at all points beforehand.
    """

    def __init__(
        self, shape: Shape, sigma: Activation, order: str, x: Array, A: Array, b: Array
    ) -> None:
        self.sigma, self.shape, self.needed = sigma, shape, DERIVATIVES[order] + 1
        self.N, self.count = len(x), -(-len(x) // TILE)
        self.slot = max(shape.widths[:-1])
        self.tile = _buffers(shape, self.slot, order)
        self.by_tanh = ACTIVATIONS.get(sigma.name) is tanh
        layers = 0 if self.by_tanh else shape.hidden
        self.points = Points(
            x=_filled(x.T, self.count),
            activations=np.zeros((layers, self.slot, self.count, 4 * TILE)),
            A=_tiled(
                np.swapaxes(A, 1, 2).reshape(len(A), A.shape[1] * A.shape[2], self.N), self.count
            ),
            b=_tiled(b, self.count),
        )
        self._r = np.zeros((len(b), self.count * TILE))

    def residuals(self, net: Net) -> Array:
        """r, (M, N)."""
        self._activate(net)
        tiles.all_residuals(net, self.tile, self.points, self._r)
        return self._r[:, : self.N]

    def gradient(self, net: Net, sums: Sums) -> Array:
        """Return r, and add the gradient of ½ Σ r²."""
        self._activate(net)
        tiles.all_gradients(net, self.tile, self.points, self._r, False, sums)
        return self._r[:, : self.N]

    def weighted_gradient(self, net: Net, weights: Array, sums: Sums) -> None:
        """Add the gradient of Σ weights · r; call `residuals` at the same net first."""
        self._r[:, : self.N] = weights
        tiles.all_gradients(net, self.tile, self.points, self._r, True, sums)

    def jacobian(self, net: Net) -> Iterator[tuple[int, slice, ByPoint]]:
        """(m, points, Jᵀ of r[m] there), a block at a time; call `residuals` first."""
        layers, M = len(net.C), self.points.A.shape[1]
        for first in range(0, self.count, TILES_AT_ONCE):
            columns = TILE * min(TILES_AT_ONCE, self.count - first)
            rows = ByPoint(
                np.zeros((len(net.theta), M * columns)),
                np.zeros((layers, layers, M * columns)),
                np.zeros((layers - 1, M * columns)),
            )
            tiles.all_rows(net, self.tile, self.points, first, columns, rows)
            at = first * TILE
            inside = min(columns, self.N - at)
            for m in range(M):
                here = slice(m * columns, m * columns + inside)
                yield m, slice(at, at + inside), ByPoint(*(part[..., here] for part in rows))

    def jets(self, net: Net) -> Array:
        """U, (outputs, channels, N)."""
        self._activate(net)
        outputs, columns = self.tile.output.shape
        out = np.empty((outputs * columns // TILE, self.count * TILE))
        tiles.all_jets(net, self.tile, self.points, out)
        return out[:, : self.N].reshape(outputs, -1, self.N)

    def _activate(self, net: Net) -> None:
        """Evaluate σ and its derivatives of every layer, unless it is tanh."""
        if self.by_tanh:
            return
        sigma, y = self.sigma, [self.points.x]
        functions = (sigma.value, sigma.slope, sigma.curvature, sigma.third)[: self.needed + 1]
        for l, width in enumerate(self.shape.widths[1:-1]):
            W, b = tiles.weight(net.theta, net, l), tiles.bias(net.theta, net, l)
            z = torch.from_numpy(W @ y[l] + b[:, None])
            for k, function in enumerate(functions):
                assert function is not None, "jets.check_served lets no such activation through"
                values = function(z).numpy().reshape(width, self.count, TILE)
                self.points.activations[l, :width, :, k * TILE : (k + 1) * TILE] = values
            y.append(net.s[l] * sigma.value(z).numpy())
            for k in range(net.first, l + 1):
                tiles.add_scaled(net.C[l + 1, k], y[k], y[l + 1])


def _buffers(shape: Shape, slot: int, order: str) -> Tile:
    hidden, size, outputs = shape.hidden, CHANNELS[order] * TILE, shape.widths[-1]
    y = np.zeros((hidden + 1, slot, size))
    for j in range(DIMENSION if size > TILE else 0):
        y[0, j, (1 + j) * TILE : (2 + j) * TILE] = 1.0
    scratch = np.zeros(TILE)
    return Tile(
        y=y,
        z=np.zeros((hidden, slot, size)),
        d=np.zeros((hidden, slot, 4 * TILE)),
        phi=np.zeros((hidden + 1, slot, size)),
        g=np.zeros((slot, size)),
        output=np.zeros((outputs, size)),
        cotangent=np.zeros((outputs, size)),
        inner=np.zeros(TILE),
        product=np.zeros(max(shape.widths[1:]) * slot),
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
