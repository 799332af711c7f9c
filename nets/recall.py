"""The memory term Σ_{k<ℓ} C[ℓ,k] P(k→ℓ) y[k] of the fast path and its adjoint, in two forms.

`LastLayer` serves nets in which a layer sees at most its predecessor (ResNet, feedforward, two
fractional layers), `AllLayers` the others. Both own the buffers of the states y[ℓ] and of the
adjoints φ[ℓ]. A buffer is features × rows and contiguous, so P is a choice of leading rows.
"""

import numpy as np
import torch
from torch import Tensor

from nets.module import Network, memory_terms

# Layers whose memory of everything before them is one matrix product; inside such a block it
# goes layer by layer.
BLOCK = 8

Array = np.ndarray
Past = tuple[Array, float]  # y[ℓ] = factor · array + s σ(z), missing rows count as zero


class Shape:
    """What decides the buffers: the widths, and how far back the layers remember."""

    def __init__(self, net: Network) -> None:
        tau = net.tau.detach().double().requires_grad_()
        with torch.enable_grad():
            C, _ = net.architecture.coefficients(tau, net.config.gamma)
        terms = memory_terms(net, C)
        self.widths = net.widths
        self.hidden = net.config.hidden
        self.widest = max(net.widths[1:-1])
        self.ragged = len(set(net.widths[1:-1])) > 1
        self.first = 0 if net.config.carry_input else 1  # the first layer that is remembered
        self.moving_C = C.requires_grad
        self.long = any(k < l - 1 for l, past in enumerate(terms) for k in past)

    def stack_entries(self, rows: int) -> tuple[int, int]:
        """Numbers in the buffers of the states and of the adjoints."""
        slot = self.widest * rows
        states = (self.hidden + 1 - self.first) * slot
        return states, states if self.long else 2 * slot


def leading(slot: Tensor, width: int, rows: int) -> Tensor:
    """The first `width` features of a flat buffer."""
    return slot[: width * rows].view(width, rows)


class LastLayer:
    """C[ℓ,k] = 0 for k < ℓ−1: the memory is one scaled state, and two adjoints suffice."""

    def __init__(self, shape: Shape, rows: int, states: Tensor, adjoints: Tensor) -> None:
        self.shape = shape
        slots, pair = states.view(-1, shape.widest * rows), adjoints.view(2, -1)
        layers = range(shape.first, shape.hidden + 1)
        self.y = {l: leading(slots[l - shape.first], shape.widths[l], rows) for l in layers}
        self.phi = {
            l: leading(pair[l % 2], shape.widths[l], rows) for l in range(1, shape.hidden + 1)
        }
        self._arrays = {l: y.numpy() for l, y in self.y.items()}
        self._nothing = self._arrays[shape.hidden][:0]

    def past(self, l: int, C: Tensor, chain: list[float]) -> Past:
        """C[ℓ,ℓ−1] y[ℓ−1]."""
        c = chain[l]
        return (self._arrays[l - 1], c) if c and l > self.shape.first else (self._nothing, 0.0)

    def seal(self, l: int) -> None:
        """Nothing: no reader looks beyond the width of a layer."""

    seal_adjoint = seal

    def adjoint(self, k: int, C: Tensor, chain: list[float], W: Tensor, g: Tensor) -> None:
        """φ[k] = C[k+1,k] Pᵀ φ[k+1] + Wᵀ g."""
        later, out, c = self.phi[k + 1], self.phi[k], chain[k + 1]
        if len(out) <= len(later):
            torch.addmm(later[: len(out)], W.T, g, beta=c, out=out)
        else:
            torch.mm(W.T, g, out=out)
            out[: len(later)].add_(later, alpha=c)

    def sense(self, l: int, dC: Tensor) -> None:
        """dC[ℓ,ℓ−1] += ⟨P y[ℓ−1], φ[ℓ]⟩, while φ[ℓ] is at hand."""
        if self.shape.moving_C and l > self.shape.first:
            rows = min(self.shape.widths[l - 1 : l + 1])
            dC[l, l - 1] += torch.vdot(self.y[l - 1][:rows].view(-1), self.phi[l][:rows].view(-1))

    def sense_all(self, dC: Tensor) -> None:
        """Nothing: `sense` saw every entry."""


class AllLayers:
    """Every layer remembers: states and adjoints lie in stacks, one slot per layer.

    A slot has the widest layer's features; those beyond a layer's own width are zero, which makes
    P(k→ℓ) part of the matrix products. With blocks [a, a+B) of layers the memory of a block is

        Y[a:a+B] = C[a:a+B, :a] Y[:a]     one matrix product over features · rows columns,
        Y[ℓ] += C[ℓ, a:ℓ] Y[a:ℓ]          as the states of the block appear,

    and the same with Cᵀ for the adjoints. Nothing of size L² · rows is ever formed.
    """

    def __init__(self, shape: Shape, rows: int, states: Tensor, adjoints: Tensor) -> None:
        self.shape = shape
        self.Y = states.view(-1, shape.widest * rows)
        self.Phi = adjoints.view(-1, shape.widest * rows)
        used = [leading(slot, width, rows) for slot, width in self._slots(self.Y)]
        self.y = dict(enumerate(used, start=shape.first))
        used = [leading(slot, width, rows) for slot, width in self._slots(self.Phi)]
        self.phi = dict(enumerate(used, start=shape.first))
        self._arrays = {l: y.numpy() for l, y in self.y.items()}
        self._nothing = self._arrays[shape.hidden][:0]
        self._rest_y = {l: self.Y[l - shape.first, y.numel() :] for l, y in self.y.items()}
        self._rest_phi = {l: self.Phi[l - shape.first, p.numel() :] for l, p in self.phi.items()}

    def _slots(self, stack: Tensor) -> list[tuple[Tensor, int]]:
        return list(zip(stack, self.shape.widths[self.shape.first : -1], strict=True))

    def past(self, l: int, C: Tensor, chain: list[float]) -> Past:
        """Σ_{k<ℓ} C[ℓ,k] P y[k], gathered in the slot of y[ℓ] itself."""
        first, Y = self.shape.first, self.Y
        here = l - first
        start = here - here % BLOCK
        if here == start and start > 0:
            stop = min(start + BLOCK, len(Y))
            torch.mm(C[l : first + stop, first:l], Y[:start], out=Y[start:stop])
        if here > start:
            torch.addmm(
                Y[here : here + 1],
                C[l : l + 1, first + start : l],
                Y[start:here],
                beta=float(start > 0),
                out=Y[here : here + 1],
            )
        return (self._arrays[l], 1.0) if here > 0 else (self._nothing, 0.0)

    def seal(self, l: int) -> None:
        """Zero beyond the width of layer ℓ."""
        if self.shape.ragged:
            self._rest_y[l].zero_()

    def seal_adjoint(self, l: int) -> None:
        """Zero beyond the width of layer ℓ."""
        if self.shape.ragged:
            self._rest_phi[l].zero_()

    def adjoint(self, k: int, C: Tensor, chain: list[float], W: Tensor, g: Tensor) -> None:
        """φ[k] = Σ_{ℓ>k} C[ℓ,k] Pᵀ φ[ℓ] + Wᵀ g."""
        first, Phi = self.shape.first, self.Phi
        here = k - first
        start = here - here % BLOCK
        stop = min(start + BLOCK, len(Phi))
        if here == stop - 1:
            torch.mm(C[k + 1 :, first + start : k + 1].T, Phi[stop:], out=Phi[start:stop])
        else:
            torch.addmm(
                Phi[here : here + 1],
                C[k + 1 : first + stop, k : k + 1].T,
                Phi[here + 1 : stop],
                beta=float(stop < len(Phi)),
                out=Phi[here : here + 1],
            )
        torch.addmm(self.phi[k], W.T, g, out=self.phi[k])

    def sense(self, l: int, dC: Tensor) -> None:
        """Nothing: `sense_all` takes the products of the stacks."""

    def sense_all(self, dC: Tensor) -> None:
        """dC[ℓ,k] += ⟨P y[k], φ[ℓ]⟩ for all k < ℓ, in blocks of layers along the diagonal."""
        if not self.shape.moving_C:
            return
        first = self.shape.first
        for start in range(1 - first, len(self.Phi), 2 * BLOCK):
            stop = min(start + 2 * BLOCK, len(self.Phi))
            products = torch.mm(self.Phi[start:stop], self.Y[: stop - 1].T)
            dC[first + start : first + stop, first : first + stop - 1] += products
