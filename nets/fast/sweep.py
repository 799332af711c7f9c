"""One chunk of rows through the net and back, on buffers that are allocated once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from nets.fast.all_layers import AllLayers
from nets.fast.elementwise import Elementwise
from nets.fast.recall import LastLayer
from nets.fast.shape import Shape, leading
from nets.gradients.adjoint import coefficient_vjp

if TYPE_CHECKING:
    from nets.fast.kernel import FlatParameters


@dataclass
class Numbers:
    """The parameters and coefficients of the net in the precision of the sweep."""

    W: list[Tensor]
    WT: list[Tensor]
    b: list[np.ndarray]
    C: np.ndarray
    s: list[float]


@dataclass
class Sums:
    """The sums over the sweeps of all chunks, in float64; W and b are views of the gradient."""

    W: list[Tensor]
    b: list[np.ndarray]
    dC: np.ndarray
    ds: np.ndarray
    phi_squared: np.ndarray  # ‖φ[ℓ]‖² at ℓ
    residual_squared: float = 0.0

    @classmethod
    def onto(cls, gradient: FlatParameters, layers: int) -> Sums:
        """All zero, W and b in the gradient's own memory."""
        return cls(
            W=gradient.W,
            b=[b.numpy() for b in gradient.b],
            dC=np.zeros((layers, layers)),
            ds=np.zeros(layers - 1),
            phi_squared=np.zeros(layers),
        )

    def tau_gradient(self, tau: Tensor, C: Tensor, s: Tensor) -> Tensor:
        """Return dJ/dτ by a vector–Jacobian product of the small map τ ↦ (C, s)."""
        cotangents = (torch.from_numpy(self.dC), torch.from_numpy(self.ds))
        return coefficient_vjp(tau, (C, s), cotangents)

    def clear(self) -> None:
        for total in self.W:
            total.zero_()
        for array in (*self.b, self.dC, self.ds, self.phi_squared):
            array.fill(0.0)
        self.residual_squared = 0.0


def pool_entries(shape: Shape, rows: int) -> list[int]:
    """Numbers in each buffer: states, adjoints, pre-activations, g, output, residual."""
    outputs = shape.widths[-1] * rows
    hidden = sum(shape.widths[1:-1]) * rows
    return [*shape.stack_entries(rows), hidden, shape.widest * rows, outputs, outputs]


class Sweep:
    """Forward and backward for `rows` rows; x and targets are (features, rows)."""

    def __init__(self, shape: Shape, rows: int, pool: Tensor, sigma: Elementwise) -> None:
        self.shape = shape
        self.sigma = sigma
        sizes = pool_entries(shape, rows)
        self.buffers = parts = pool[: sum(sizes)].split(sizes)
        self.skips = (AllLayers if shape.long else LastLayer)(shape, rows, parts[0], parts[1])
        inner = shape.widths[1:-1]
        self.z = [p.view(-1, rows) for p in parts[2].split([width * rows for width in inner])]
        self.g = [leading(parts[3], width, rows) for width in inner]
        self.output, self.phi_output = parts[4].view(-1, rows), parts[5].view(-1, rows)
        self._z = [z.numpy() for z in self.z]
        self._g = [g.numpy() for g in self.g]
        self._y = {l: y.numpy() for l, y in self.skips.y.items()}
        self._yT = {l: y.T for l, y in self.skips.y.items()}
        self._phi = {l: phi.numpy() for l, phi in self.skips.phi.items()}
        self._scratch = torch.empty(shape.widest * max(shape.widths), dtype=pool.dtype)

    def forward(self, x: Tensor, net: Numbers) -> Tensor:
        """y[L], in a buffer that the next call overwrites."""
        skips, state = self.skips, x
        if self.shape.first == 0:
            skips.start(x, net.C)
        for l in range(1, self.shape.hidden + 1):
            torch.mm(net.W[l - 1], state, out=self.z[l - 1])
            layer = self._z[l - 1], net.b[l - 1], net.s[l - 1]
            past = skips.past(l, net.C)
            if past is None:
                self.sigma.add(*layer, self._y[l])
            else:
                self.sigma.forward(*layer, *past, self._y[l])
            skips.seal(l)
            state = skips.y[l]
        return torch.mm(net.W[-1], state, out=self.output)

    def residual_squared(self, target: Tensor) -> float:
        """‖y[L] − target‖², and the residual in `phi_output`; call `forward` first."""
        residual = torch.sub(self.output, target, out=self.phi_output)
        return float(residual.double().square().sum())

    def backward(self, x: Tensor, target: Tensor, net: Numbers, weight: float, sums: Sums) -> None:
        """Add the gradient of (weight/2) ‖y[L] − target‖² to `sums`; call `forward(x)` first."""
        sums.residual_squared += self.residual_squared(target)
        self.phi_output.mul_(weight)
        self.pull_back(x, net, sums)

    def pull_back(self, x: Tensor, net: Numbers, sums: Sums) -> None:
        """Add to `sums` the gradient in every parameter that φ[L] in `phi_output` gives."""
        skips, hidden = self.skips, self.shape.hidden
        self._add_product(sums.W[hidden], self.phi_output, self._yT[hidden])
        skips.start_adjoint(net.C)
        torch.mm(net.WT[hidden], self.phi_output, out=skips.phi[hidden])
        for l in range(hidden, 0, -1):
            skips.seal_adjoint(l)
            layer = self._z[l - 1], net.b[l - 1], net.s[l - 1]
            inner, square = self.sigma.backward(*layer, self._phi[l], self._g[l - 1], sums.b[l - 1])
            sums.ds[l - 1] += inner
            sums.phi_squared[l] += square
            skips.sense(l, sums.dC)
            self._add_product(sums.W[l - 1], self.g[l - 1], self._yT[l - 1] if l > 1 else x.T)
            if l > 1:
                skips.adjoint(l - 1, net.C, net.WT[l - 1], self.g[l - 1])
        skips.sense_all(sums.dC)

    def _add_product(self, total: Tensor, a: Tensor, b: Tensor) -> None:
        """total += a b, summed over the chunks in float64."""
        if a.dtype == total.dtype:
            torch.addmm(total, a, b, out=total)
        else:
            product = self._scratch[: total.numel()].view(total.shape)
            total.add_(torch.mm(a, b, out=product))
