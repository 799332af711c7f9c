"""The skip term Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] of the fast path and its adjoint, in two forms.

`LastLayer` serves nets in which a layer sees at most its predecessor (ResNet, feedforward, two
fractional layers), `AllLayers` the others. Both own the buffers of the states y[ℓ] and of the
adjoints φ[ℓ]. A buffer is features × rows and contiguous, so P is a choice of leading rows.
"""

import numpy as np
import torch
from torch import Tensor

from nets.fast.shape import Shape, leading

Array = np.ndarray
Past = tuple[Array, float] | None  # a state and its factor, or None: already in the slot of y[ℓ]


class LastLayer:
    """C[ℓ,k] = 0 for k < ℓ−1: the term is one scaled state, and one adjoint suffices."""

    def __init__(self, shape: Shape, rows: int, states: Tensor, adjoint: Tensor) -> None:
        self.shape = shape
        slots = states.view(-1, shape.widest * rows)
        layers = range(shape.first, shape.hidden + 1)
        self.y = {l: leading(slots[l - shape.first], shape.widths[l], rows) for l in layers}
        self.phi = {l: leading(adjoint, shape.widths[l], rows) for l in range(1, shape.hidden + 1)}
        self._arrays = {l: y.numpy() for l, y in self.y.items()}
        self._nothing = self._arrays[shape.hidden][:0]
        # Where layer k is wider than layer k+1, the features that P(k→k+1) drops.
        widths = shape.widths
        self._dropped = {
            k: phi[widths[k + 1] :] for k, phi in self.phi.items() if widths[k] > widths[k + 1]
        }

    def start(self, x: Tensor, C: Array) -> None:
        """Store the input as a state that the next layer reads."""
        self.y[0].copy_(x)

    def past(self, l: int, C: Array) -> Past:
        """C[ℓ,ℓ−1] y[ℓ−1]."""
        c = C[l, l - 1]
        return (self._arrays[l - 1], c) if c and l > self.shape.first else (self._nothing, 0.0)

    def seal(self, l: int) -> None:
        """Do nothing: no reader looks beyond the width of a layer."""

    def start_adjoint(self, C: Array) -> None:
        """Do nothing: there is nothing to prepare."""

    def adjoint(self, k: int, C: Array, WT: Tensor, g: Tensor) -> None:
        """φ[k] = C[k+1,k] Pᵀ φ[k+1] + Wᵀ g, in place."""
        if k in self._dropped:
            self._dropped[k].zero_()
        torch.addmm(self.phi[k], WT, g, beta=float(C[k + 1, k]), out=self.phi[k])

    def seal_adjoint(self, l: int) -> None:
        """Do nothing, as for the states."""

    def sense(self, l: int, dC: Array) -> None:
        """dC[ℓ,ℓ−1] += ⟨P y[ℓ−1], φ[ℓ]⟩, while φ[ℓ] is at hand."""
        if self.shape.moving_C and l > self.shape.first:
            width = min(self.shape.widths[l - 1 : l + 1])
            past, phi = self.y[l - 1][:width], self.phi[l][:width]
            dC[l, l - 1] += float(torch.vdot(past.view(-1), phi.view(-1)))

    def sense_all(self, dC: Array) -> None:
        """Do nothing: `sense` saw every entry."""
