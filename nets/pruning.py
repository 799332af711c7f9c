"""Deleting layers that a trained net does not need.

Layer ℓ ≥ 1 makes the state y[ℓ+1] from y[ℓ]. It is redundant where it changes little, and two
measures say so:

- "tau": |τ[ℓ]|, the paper's. With ReLU-like σ it is partly a scale (τ·10⁻³ with W, b·10³ is the
  same layer), so a small τ alone proves nothing.
- "change": ‖y[ℓ+1] − y[ℓ]‖ / ‖y[ℓ+1]‖ over the data; for the ResNet this is ‖s σ‖/‖y‖, what the
  layer adds relative to the state.

Each architecture declares what deleting a layer means, or why it is impossible (`DELETION`).

Layer 0 is never deleted: it lifts the input to the hidden width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from base.errors import UserError, nearest
from nets.deletion import deletion_of
from nets.module import Network
from nets.training.last_layer import hidden_states

Measure = Callable[[Network, Any], Tensor]


def tau_size(net: Network, x: Any) -> Tensor:
    """|τ[ℓ]|."""
    return net.tau.detach().abs()


def relative_change(net: Network, x: Any) -> Tensor:
    """‖y[ℓ+1] − y[ℓ]‖ / ‖y[ℓ+1]‖ over the rows of x; infinite where the widths differ."""
    y = hidden_states(net, x)
    changes = [torch.inf]
    for before, after in pairwise(y[1:]):
        if before.shape != after.shape:
            changes.append(torch.inf)
        else:
            size = float(after.norm())
            changes.append(float((after - before).norm()) / size if size else 0.0)
    return torch.tensor(changes, dtype=torch.float64)


MEASURES: dict[str, Measure] = {"tau": tau_size, "change": relative_change}


@dataclass(frozen=True)
class Redundancy:
    """The measure of each layer, and the layers that fall below the threshold."""

    measure: str
    below: float
    values: tuple[float, ...]
    layers: tuple[int, ...]


def redundant_layers(
    net: Network, x: Any, *, measure: str = "change", below: float = 1e-2
) -> Redundancy:
    """The layers ℓ ≥ 1 whose measure on the rows x is smaller than `below`."""
    if measure not in MEASURES:
        raise UserError(f"unknown measure {measure!r}; {nearest(measure, list(MEASURES))}")
    if not below >= 0:
        raise UserError(f"below must be a number >= 0, got {below}")
    deletion_of(net)
    values = tuple(MEASURES[measure](net, x).tolist())
    layers = tuple(
        l for l in range(1, len(values)) if values[l] < below and net.widths[l] == net.widths[l + 1]
    )
    return Redundancy(measure, below, values, layers)
