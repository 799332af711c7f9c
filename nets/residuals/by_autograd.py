"""Residuals of any torch module: derivatives in x and in the parameters by differentiating it.

As `ResidualObjective` offers them, which computes those of our nets by hand, some sixteen times as
fast. Rows must not influence each other (no batch normalisation).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from base.errors import UserError
from nets.differentiated import UNUSED_IS_ZERO, ResidualsByAutograd
from nets.residuals.jets import DERIVATIVES, DIMENSION, PAIRS
from nets.residuals.terms import Residuals
from nets.user_modules import OwnNet

Array = NDArray[np.float64]
AT_ONCE = 5000  # points of `module_jets`


def module_jets(module: nn.Module, x: Array, order: str = "first") -> Array:
    """(channels, outputs, N) of a module at the rows of x (N, inputs), in chunks."""
    dtype = next((p.dtype for p in module.parameters()), torch.float64)
    parts = torch.from_numpy(np.ascontiguousarray(x)).to(dtype).split(AT_ONCE)
    found = [_jets(module, part, order).detach().double().numpy() for part in parts]
    return np.concatenate(found, axis=2)


def _jets(module: nn.Module, x: Tensor, order: str) -> Tensor:
    """The same as a tensor with its graph in the parameters."""
    with torch.enable_grad():
        rows = x.clone().requires_grad_()
        values = module(rows)
        channels = [values.T]
        if order != "value":
            slopes = [_slope(values[:, i], rows) for i in range(values.shape[1])]
            channels += [torch.stack([s[:, j] for s in slopes]) for j in range(DIMENSION)]
        if order in ("laplacian", "second"):
            second = [[_slope(s[:, j], rows) for j in range(DIMENSION)] for s in slopes]
            pairs = [torch.stack([s[j][:, k] for s in second]) for j, k in PAIRS]
            channels += pairs if order == "second" else [pairs[0] + pairs[3] + pairs[5]]
        return torch.stack(channels)


def _slope(values: Tensor, rows: Tensor) -> Tensor:
    """The gradient of each value in its own row, zero where it does not depend on it."""
    if not values.requires_grad:
        return torch.zeros_like(rows)
    return torch.autograd.grad(values.sum(), rows, create_graph=True, **UNUSED_IS_ZERO)[0]


class AutogradResiduals(ResidualsByAutograd):
    """θ ↦ (½ Σ r², its gradient), the residuals one by one, and their Jacobian."""

    def __init__(self, net: OwnNet, terms: Sequence[Residuals]) -> None:
        if net.dtype != torch.float64:
            raise UserError(f"residuals need a float64 net, got {net.config.dtype}")
        self.net, self.terms = net, tuple(terms)
        self.count = sum(term.count for term in self.terms)
        self.parameters = net.pack().size
        self._r: list[Tensor] = []
        for term in self.terms:
            _check_smooth(net, term)

    def parts(self) -> dict[str, float]:
        """½ Σ r² by label, of the last call; they add up to the loss."""
        totals: dict[str, float] = {}
        for term, r in zip(self.terms, self._r, strict=True):
            rows = r.detach().reshape(len(term.labels), -1)
            for label, row in zip(term.labels, rows, strict=True):
                totals[label] = totals.get(label, 0.0) + float(row @ row) / 2
        return totals

    def vector(self, theta: Array) -> tuple[Tensor, list[Tensor]]:
        self.net.unpack(theta)
        self._r = [self._of(term) for term in self.terms]
        return torch.cat([r.reshape(-1) for r in self._r]), self.net.free_parameters()

    def _of(self, term: Residuals) -> Tensor:
        found = _jets(self.net.inner, torch.from_numpy(np.ascontiguousarray(term.x)), term.order)
        with torch.enable_grad():
            A, b = torch.from_numpy(np.ascontiguousarray(term.A)), torch.from_numpy(term.b)
            r = torch.einsum("mcin,cin->mn", A, found) - b
            if term.test is None:
                return r
            test = torch.from_numpy(term.test.toarray())
            return test @ r.reshape(-1)


def _check_smooth(net: OwnNet, term: Residuals) -> None:
    """Refuse a module whose second derivatives vanish everywhere, as those of ReLU do."""
    if DERIVATIVES[term.order] < 2:
        return
    found = module_jets(net.inner, term.x[:200], term.order)[1 + DIMENSION :]
    if not found.any():
        raise UserError(
            f"{type(net.inner).__name__} has no second derivatives, as the strong form needs; use "
            "a smooth activation, or --form first-order"
        )
