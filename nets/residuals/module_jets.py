"""Jets of any torch module by automatic differentiation: slower than `values.jets`, as general as
torch."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[np.float64]
CHUNK = 1 << 13


def module_jets(module: torch.nn.Module, x: Array, order: str) -> Array:
    """(channels, 3, N) of a module (N, 3) -> (N, 3) at the rows of x (N, 3).

    Channels are the value, ∂₁, ∂₂, ∂₃, then ∂₁₁, ∂₁₂, ∂₁₃, ∂₂₂, ∂₂₃, ∂₃₃, as far as the order
    (value, first or second) goes.
    """
    chunks = [_jets(module, x[k : k + CHUNK], order) for k in range(0, len(x), CHUNK)]
    return np.concatenate(chunks, axis=2)


def _jets(module: torch.nn.Module, x: Array, order: str) -> Array:
    first = next(module.parameters(), torch.zeros((), dtype=torch.float64))
    points = torch.from_numpy(np.ascontiguousarray(x)).to(first.dtype).requires_grad_()
    with torch.enable_grad():
        u = module(points)
        components = [[u[:, i]] for i in range(3)]
        for rows in components:
            if order != "value":
                slopes = _gradient(rows[0], points, keep=order == "second")
                rows.extend(slopes)
            if order == "second":
                rows.extend(_second(slopes, points))
        stacked = torch.stack([torch.stack(rows) for rows in components], dim=1)
    return stacked.detach().numpy().astype(np.float64)


def _gradient(y: torch.Tensor, x: torch.Tensor, keep: bool) -> list[torch.Tensor]:
    """∂_j y per row; zero where y does not depend on x."""
    if not y.requires_grad:
        return [torch.zeros_like(x[:, 0])] * 3
    (found,) = torch.autograd.grad(
        y.sum(), x, create_graph=keep, retain_graph=True, allow_unused=True
    )
    return [torch.zeros_like(x[:, 0])] * 3 if found is None else [found[:, j] for j in range(3)]


def _second(slopes: list[torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
    """∂_j∂_k for j ≤ k."""
    rows = [_gradient(slope, x, keep=False) for slope in slopes]
    return [rows[j][k] for j in range(3) for k in range(j, 3)]
