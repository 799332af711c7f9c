"""Losses and residuals of torch code as functions of one flat vector, by automatic differentiation.

A subclass says what is computed: `loss(theta)` or `vector(theta)`, a tensor with its graph and the
parameter tensors in which it is to be differentiated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]
UNUSED_IS_ZERO: dict[str, Any] = {"allow_unused": True, "materialize_grads": True}


def packed(tensors: Iterable[Tensor]) -> Array:
    """The entries of all tensors as one float64 vector."""
    flat = [tensor.detach().reshape(-1).double().cpu() for tensor in tensors]
    vector: Array = torch.cat(flat).numpy()
    return vector


def write(theta: Array, tensors: Sequence[Tensor]) -> None:
    """Set the tensors to the parts of a vector, in order."""
    parts = torch.from_numpy(theta).split([tensor.numel() for tensor in tensors])
    with torch.no_grad():
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.reshape(tensor.shape))


class LossByAutograd:
    """θ ↦ (J, ∇J)."""

    def loss(self, theta: Array) -> tuple[Tensor, Sequence[Tensor]]:
        """J and the tensors that hold θ."""
        raise NotImplementedError

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """(inf, zeros) where J or its gradient is not finite."""
        with torch.enable_grad():
            J, tensors = self.loss(theta)
            gradient = packed(torch.autograd.grad(J, tensors, **UNUSED_IS_ZERO))
        if not (torch.isfinite(J) and np.isfinite(gradient).all()):
            return inf, np.zeros(len(theta))
        return float(J.detach()), gradient

    def exceeds(self, theta: Array, bound: float) -> bool:
        """Whether J is above the bound, or not a number."""
        return not bound >= float(self.loss(theta)[0].detach())


class ResidualsByAutograd(LossByAutograd):
    """θ ↦ (½ Σ r², its gradient), the residuals one by one, and their Jacobian."""

    def vector(self, theta: Array) -> tuple[Tensor, Sequence[Tensor]]:
        """r, one-dimensional, and the tensors that hold θ."""
        raise NotImplementedError

    def loss(self, theta: Array) -> tuple[Tensor, Sequence[Tensor]]:
        r, tensors = self.vector(theta)
        return r.square().sum() / 2, tensors

    def residuals(self, theta: Array) -> Array | None:
        """All r; None where they are not finite."""
        r: Array = self.vector(theta)[0].detach().double().numpy()
        return r if np.isfinite(r).all() else None

    def jacobian(self, theta: Array) -> tuple[Array, Array] | None:
        """r and dr/dθ as its transpose (parameters, count); None where r is not finite."""
        r, tensors = self.vector(theta)
        if not bool(torch.isfinite(r).all()):
            return None
        unit = torch.eye(len(r), dtype=r.dtype)
        rows = torch.autograd.grad(r, tensors, unit, is_grads_batched=True, **UNUSED_IS_ZERO)
        parts = [part.reshape(len(r), -1).T.double().numpy() for part in rows]
        return r.detach().double().numpy(), np.concatenate(parts)

    def normal_equations(self, theta: Array) -> tuple[Array, Array, Array] | None:
        """r, JᵀJ and Jᵀr."""
        found = self.jacobian(theta)
        if found is None:
            return None
        r, transposed = found
        return r, transposed @ transposed.T, transposed @ r
