"""The skip term Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] of the fast path and its adjoint, in two forms.

`LastLayer` serves nets in which a layer sees at most its predecessor (ResNet, feedforward, two
fractional layers), `AllLayers` the others. Both own the buffers of the states y[ℓ] and of the
adjoints φ[ℓ]. A buffer is features × rows and contiguous, so P is a choice of leading rows.
"""

import numpy as np
import torch
from torch import Tensor

from nets.fast.stacks import add_inner_products, recall, recall_adjoint
from nets.module import Network, skip_terms

Array = np.ndarray
Past = tuple[Array, float] | None  # a state and its factor, or None: already in the slot of y[ℓ]


class Shape:
    """What decides the buffers: the widths, and how far back the skips reach."""

    def __init__(self, net: Network) -> None:
        tau = net.tau.detach().double().requires_grad_()
        with torch.enable_grad():
            C, _ = net.architecture.coefficients(tau, net.config.gamma)
        terms = skip_terms(net, C)
        self.widths = net.widths
        self.hidden = net.config.hidden
        self.widest = max(net.widths[1:-1])
        self.ragged = len(set(net.widths[1:-1])) > 1
        self.first = 0 if net.config.carry_input else 1  # the first layer that is carried on
        self.moving_C = C.requires_grad
        self.long = any(k < l - 1 for l, past in enumerate(terms) for k in past)

    def stack_entries(self, rows: int) -> tuple[int, int]:
        """Numbers in the buffers of the states and of the adjoints."""
        slot = self.widest * rows
        states = (self.hidden + 1 - self.first) * slot
        return states, states if self.long else slot


def leading(slot: Tensor, width: int, rows: int) -> Tensor:
    """The first `width` features of a flat buffer."""
    return slot[: width * rows].view(width, rows)


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
        """The input as a state that is carried on."""
        self.y[0].copy_(x)

    def past(self, l: int, C: Array) -> Past:
        """C[ℓ,ℓ−1] y[ℓ−1]."""
        c = C[l, l - 1]
        return (self._arrays[l - 1], c) if c and l > self.shape.first else (self._nothing, 0.0)

    def seal(self, l: int) -> None:
        """Nothing: no reader looks beyond the width of a layer."""

    def start_adjoint(self, C: Array) -> None:
        """Nothing to prepare."""

    def adjoint(self, k: int, C: Array, WT: Tensor, g: Tensor) -> None:
        """φ[k] = C[k+1,k] Pᵀ φ[k+1] + Wᵀ g, in place."""
        if k in self._dropped:
            self._dropped[k].zero_()
        torch.addmm(self.phi[k], WT, g, beta=float(C[k + 1, k]), out=self.phi[k])

    def seal_adjoint(self, l: int) -> None:
        """Nothing, as for the states."""

    def sense(self, l: int, dC: Array) -> None:
        """dC[ℓ,ℓ−1] += ⟨P y[ℓ−1], φ[ℓ]⟩, while φ[ℓ] is at hand."""
        if self.shape.moving_C and l > self.shape.first:
            width = min(self.shape.widths[l - 1 : l + 1])
            past, phi = self.y[l - 1][:width], self.phi[l][:width]
            dC[l, l - 1] += float(torch.vdot(past.view(-1), phi.view(-1)))

    def sense_all(self, dC: Array) -> None:
        """Nothing: `sense` saw every entry."""


class AllLayers:
    """Every layer is carried on: states and adjoints lie in stacks, one slot per layer.

    A slot has the widest layer's features; those beyond a layer's own width are zero, which makes
    P(k→ℓ) part of the combinations. Nothing of size L² · rows is ever formed.
    """

    def __init__(self, shape: Shape, rows: int, states: Tensor, adjoints: Tensor) -> None:
        self.shape = shape
        self._Y = states.view(-1, shape.widest * rows)
        self._Phi = adjoints.view(-1, shape.widest * rows)
        self.y, self._rest_y = self._split(self._Y, rows)
        self.phi, self._rest_phi = self._split(self._Phi, rows)
        self._states, self._adjoints = self._Y.numpy(), self._Phi.numpy()

    def _split(self, stack: Tensor, rows: int) -> tuple[dict[int, Tensor], dict[int, Tensor]]:
        """Per layer: its features, and the rest of its slot."""
        first, widths = self.shape.first, self.shape.widths
        layers = range(first, self.shape.hidden + 1)
        used = {l: leading(stack[l - first], widths[l], rows) for l in layers}
        return used, {l: stack[l - first, widths[l] * rows :] for l in layers}

    def start(self, x: Tensor, C: Array) -> None:
        """The input as a state that is carried on."""
        recall(C, self._states, 0, 0)
        self.y[0].copy_(x)

    def past(self, l: int, C: Array) -> Past:
        """Σ_{k<ℓ} C[ℓ,k] P y[k], gathered in the slot of y[ℓ] itself."""
        recall(C, self._states, l - self.shape.first, self.shape.first)
        return None

    def seal(self, l: int) -> None:
        """Zero beyond the width of layer ℓ."""
        if self.shape.ragged:
            self._rest_y[l].zero_()

    def start_adjoint(self, C: Array) -> None:
        """Empty the last block, which no later layer reads."""
        recall_adjoint(C, self._adjoints, len(self._adjoints) - 1, self.shape.first)

    def adjoint(self, k: int, C: Array, WT: Tensor, g: Tensor) -> None:
        """φ[k] = Σ_{ℓ>k} C[ℓ,k] Pᵀ φ[ℓ] + Wᵀ g."""
        recall_adjoint(C, self._adjoints, k - self.shape.first, self.shape.first)
        torch.addmm(self.phi[k], WT, g, out=self.phi[k])

    def seal_adjoint(self, l: int) -> None:
        """Zero beyond the width of layer ℓ."""
        if self.shape.ragged:
            self._rest_phi[l].zero_()

    def sense(self, l: int, dC: Array) -> None:
        """Nothing: `sense_all` takes the products of the stacks."""

    def sense_all(self, dC: Array) -> None:
        """dC[ℓ,k] += ⟨P y[k], φ[ℓ]⟩ for all k < ℓ."""
        if self.shape.moving_C:
            add_inner_products(self._adjoints, self._states, self.shape.first, dC)
