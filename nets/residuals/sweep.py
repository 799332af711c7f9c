"""One chunk of points: residuals, their gradient, and their Jacobian in all parameters."""

from __future__ import annotations

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nets.activations import Activation
from nets.fast.fused import REORDERED_SUMS
from nets.fast.shape import Shape
from nets.fast.sweep import Numbers, Sums, Sweep
from nets.residuals.elementwise import JetElementwise
from nets.residuals.jets import channels

Array = NDArray[np.float64]


class JetSweep(Sweep):
    """`nets.fast.sweep.Sweep` whose rows are the channels of jets, channel after channel."""

    def __init__(
        self, shape: Shape, order: str, points: int, pool: Tensor, sigma: Activation
    ) -> None:
        self.points, self.channels = points, channels(order)
        self.jets = JetElementwise(sigma, order, points, shape.widest)
        super().__init__(shape, self.channels * points, pool, self.jets)
        outputs = shape.widths[-1] * self.channels
        self._U = self.output.numpy().reshape(outputs, points)
        self._cotangent = self.phi_output.numpy().reshape(outputs, points)

    def residuals(self, x: Tensor, net: Numbers, A: Array, b: Array, out: Array) -> None:
        """out = A U − b, (M, points), with the jet U of the net at x; A is (M, outputs·C, points).

        The states stay in the buffers for `gradient` or `jacobian`.
        """
        self.forward(x, net)
        _combine(A, self._U, b, out)

    def gradient(self, x: Tensor, net: Numbers, A: Array, weights: Array, sums: Sums) -> None:
        """Add the gradient of Σ weights·r; call `residuals(x)` first."""
        _spread(A, weights, self._cotangent)
        self.pull_back(x, net, sums)

    def jacobian(self, x: Tensor, net: Numbers, a: Array, rows: Rows) -> None:
        """dr[n]/dθ for one row a (outputs·C, points) of A into `rows`; call `forward(x)` first."""
        skips, hidden = self.skips, self.shape.hidden
        self._cotangent[:] = a
        self._outer(self.phi_output.numpy(), self._y[hidden], rows.W[hidden])
        skips.start_adjoint(net.C)
        torch.mm(net.WT[hidden], self.phi_output, out=skips.phi[hidden])
        inputs = x.numpy()
        for l in range(hidden, 0, -1):
            skips.seal_adjoint(l)
            phi, g = self._phi[l], self._g[l - 1]
            layer = self._z[l - 1], net.b[l - 1], net.s[l - 1]
            self.jets.backward(*layer, phi, g, np.zeros(len(g)))
            rows.s[l - 1] = self.jets.inner
            rows.b[l - 1][:] = g.reshape(len(g), self.channels, self.points)[:, 0]
            if self.shape.moving_C:
                self._sense(l, phi, inputs, rows.C)
            self._outer(g, self._y[l - 1] if l > 1 else inputs, rows.W[l - 1])
            if l > 1:
                skips.adjoint(l - 1, net.C, net.WT[l - 1], self.g[l - 1])

    def _sense(self, l: int, phi: Array, inputs: Array, dC: Array) -> None:
        """dC[ℓ,k] = ⟨P y[k], φ[ℓ]⟩ point by point."""
        for k in range(self.shape.first, l):
            past = self._y[k] if k > 0 else inputs
            width = min(len(past), len(phi))
            product = past[:width] * phi[:width]
            dC[l, k] = product.reshape(-1, self.points).sum(0)

    def _outer(self, g: Array, y: Array, out: Array) -> None:
        """out[i, j, n] = Σ_c g[i, c, n] y[j, c, n]."""
        shape = (-1, self.channels, self.points)
        _outer(g.reshape(shape), y.reshape(shape), out)


class Rows:
    """Columns of Jᵀ for the points of a chunk: views W, b into it, and what τ is made of later."""

    def __init__(self, shape: Shape, points: int, flat: Array) -> None:
        """`flat` is (free parameters, points), in the order of `Network.free_parameters`."""
        self.flat, self.W, self.b, at = flat, [], [], 0
        widths = shape.widths
        for l in range(shape.hidden + 1):
            size = widths[l + 1] * widths[l]
            self.W.append(flat[at : at + size].reshape(widths[l + 1], widths[l], points))
            at += size
            if l < shape.hidden:
                self.b.append(flat[at : at + widths[l + 1]])
                at += widths[l + 1]
        self.tau = flat[at:]
        self.s = np.zeros((shape.hidden, points))
        self.C = np.zeros((shape.hidden + 1, shape.hidden + 1, points))

    def fill_tau(self, dC: Array, ds: Array, free: Array) -> None:
        """dr/dτ by the chain rule: dC (H+1, H+1, H) and ds (H, H) are the slopes of C, s in τ."""
        if self.tau.size:
            layers = len(self.C)
            slopes = self.C.reshape(layers * layers, -1).T @ dC.reshape(layers * layers, -1)
            self.tau[:] = free @ (slopes + self.s.T @ ds).T


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _combine(A, U, b, out):  # type: ignore[no-untyped-def]
    for m in range(len(A)):
        total, data = out[m], b[m]
        for n in range(len(total)):
            total[n] = -data[n]
        for k in range(A.shape[1]):
            row, u = A[m, k], U[k]
            for n in range(len(total)):
                total[n] += row[n] * u[n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _spread(A, weights, out):  # type: ignore[no-untyped-def]
    for k in range(A.shape[1]):
        total = out[k]
        for n in range(len(total)):
            total[n] = A[0, k, n] * weights[0, n]
        for m in range(1, len(A)):
            row, w = A[m, k], weights[m]
            for n in range(len(total)):
                total[n] += row[n] * w[n]


@numba.njit(cache=True, fastmath=REORDERED_SUMS)
def _outer(g, y, out):  # type: ignore[no-untyped-def]
    for i in range(len(g)):
        for j in range(len(y)):
            total, first, second = out[i, j], g[i, 0], y[j, 0]
            for n in range(len(total)):
                total[n] = first[n] * second[n]
            for c in range(1, g.shape[1]):
                first, second = g[i, c], y[j, c]
                for n in range(len(total)):
                    total[n] += first[n] * second[n]
