"""The skip term of nets in which a layer sees all layers before it, and its adjoint."""

import torch
from torch import Tensor

from nets.fast.recall import Array, Past
from nets.fast.shape import Shape, leading
from nets.fast.stacks import add_inner_products, recall, recall_adjoint


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
        """Store the input as a state that later layers read."""
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
        """Do nothing: `sense_all` takes the products of the stacks."""

    def sense_all(self, dC: Array) -> None:
        """dC[ℓ,k] += ⟨P y[k], φ[ℓ]⟩ for all k < ℓ."""
        if self.shape.moving_C:
            add_inner_products(self._adjoints, self._states, self.shape.first, dC)
