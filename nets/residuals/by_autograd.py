"""Residuals of any torch module: derivatives in x and in the parameters by differentiating it.

As `ResidualObjective` offers them, which computes those of our nets by hand, some eight times as
fast. Rows must not influence each other (no batch normalisation).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from base.errors import UserError
from nets.residuals.jets import DERIVATIVES, DIMENSION, PAIRS
from nets.residuals.terms import Residuals
from nets.user_modules import OwnNet

Array = NDArray[np.float64]
AT_ONCE = 5000  # points of `jets`


def jets(net: OwnNet, x: Array, order: str = "first") -> Array:
    """(channels, outputs, N) at the rows of x (N, inputs), in chunks."""
    parts = [x[k : k + AT_ONCE] for k in range(0, len(x), AT_ONCE)]
    return np.concatenate([_jets(net, part, order).detach().numpy() for part in parts], axis=2)


def _jets(net: OwnNet, x: Array, order: str) -> Tensor:
    """The same as a tensor with its graph in the parameters."""
    with torch.enable_grad():
        rows = torch.from_numpy(np.ascontiguousarray(x)).requires_grad_()
        values = net.inner(rows)
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
    options: dict[str, Any] = {
        "create_graph": True,
        "allow_unused": True,
        "materialize_grads": True,
    }
    (slope,) = torch.autograd.grad(values.sum(), rows, **options)
    return slope


class AutogradResiduals:
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

    def __call__(self, theta: Array) -> tuple[float, Array]:
        r = self._at(theta)
        loss = r.square().sum() / 2
        options: dict[str, Any] = {"allow_unused": True, "materialize_grads": True}
        found = torch.autograd.grad(loss, self.net.free_parameters(), **options)
        gradient = torch.cat([g.reshape(-1) for g in found]).numpy()
        value = float(loss.detach())
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return inf, np.zeros(self.parameters)
        return value, gradient

    def residuals(self, theta: Array) -> Array | None:
        """All r, (count,); None where they are not finite."""
        r: Array = self._at(theta).detach().numpy()
        return r if np.isfinite(r).all() else None

    def jacobian(self, theta: Array) -> tuple[Array, Array] | None:
        """r and dr/dθ as its transpose (parameters, count); None where r is not finite."""
        r = self._at(theta)
        if not bool(torch.isfinite(r).all()):
            return None
        options: dict[str, Any] = {
            "is_grads_batched": True,
            "allow_unused": True,
            "materialize_grads": True,
        }
        unit = torch.eye(len(r), dtype=r.dtype)
        found = torch.autograd.grad(r, self.net.free_parameters(), unit, **options)
        rows = torch.cat([g.reshape(len(r), -1) for g in found], dim=1)
        return r.detach().numpy(), np.ascontiguousarray(rows.numpy().T)

    def normal_equations(self, theta: Array) -> tuple[Array, Array, Array] | None:
        """r, JᵀJ and Jᵀr."""
        found = self.jacobian(theta)
        if found is None:
            return None
        r, transposed = found
        return r, transposed @ transposed.T, transposed @ r

    def exceeds(self, theta: Array, bound: float) -> bool:
        r = self.residuals(theta)
        return r is None or not bound >= float(r @ r) / 2

    def parts(self) -> dict[str, float]:
        """½ Σ r² by label, of the last call; they add up to the loss."""
        totals: dict[str, float] = {}
        for term, r in zip(self.terms, self._r, strict=True):
            rows = r.detach().reshape(len(term.labels), -1)
            for label, row in zip(term.labels, rows, strict=True):
                totals[label] = totals.get(label, 0.0) + float(row @ row) / 2
        return totals

    def _at(self, theta: Array) -> Tensor:
        self.net.unpack(theta)
        self._r = [self._of(term) for term in self.terms]
        return torch.cat([r.reshape(-1) for r in self._r])

    def _of(self, term: Residuals) -> Tensor:
        found = _jets(self.net, term.x, term.order)
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
    found = _jets(net, term.x[:200], term.order)[1 + DIMENSION :]
    if not bool(found.detach().any()):
        raise UserError(
            f"{type(net.inner).__name__} has no second derivatives, as the strong form needs; use "
            "a smooth activation, or --form first-order"
        )
