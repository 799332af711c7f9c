"""Deleting layers that a trained net does not need.

Layer ℓ ≥ 1 makes the state y[ℓ+1] from y[ℓ]. It is redundant where it changes little, and two
measures say so:

- "tau": |τ[ℓ]|, the paper's. With ReLU-like σ it is partly a scale (τ·10⁻³ with W, b·10³ is the
  same layer), so a small τ alone proves nothing.
- "change": ‖y[ℓ+1] − y[ℓ]‖ / ‖y[ℓ+1]‖ over the data; for the ResNet this is ‖s σ‖/‖y‖, what the
  layer adds against what is there.

What deletion means, per architecture:

- ResNet: y[ℓ+1] = y[ℓ] + τ[ℓ] a[ℓ] becomes y[ℓ+1] = y[ℓ]: W[ℓ], b[ℓ] and τ[ℓ] go.
- Fractional-DNN: its states are nodes of a time grid with steps τ, and the L1 scheme joins them
  linearly. Deleting the state y[ℓ+1] deletes a node, and the two steps that met there become one of
  length τ[ℓ] + τ[ℓ+1], taken with the later layer's W and b (they act on y[ℓ+1] ≈ y[ℓ]); after
  the last layer there is no later step, and time ends earlier. As τ[ℓ] → 0 the change is
  O(τ[ℓ]^γ): both the layer's own term and A[ℓ,·] carry the factor τ[ℓ]^γ.
- DenseNet: refused. Every later state is a sum over all earlier ones, so that with y[ℓ+1] each
  sum loses the terms that y[ℓ+1] repeats: even at τ[ℓ] = 0 the smaller net is another function.
- feedforward: refused. y[ℓ+1] = τ[ℓ] a[ℓ] has no identity to fall back on; as τ[ℓ] → 0 the whole
  output vanishes, so a small τ marks a bottleneck and not a layer to spare.

Layer 0 is never deleted: it lifts the input to the hidden width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from nets.errors import InputError, nearest
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
    """What a measure says about each layer, and which layers fall below the threshold."""

    measure: str
    below: float
    values: tuple[float, ...]
    layers: tuple[int, ...]


def redundant_layers(
    net: Network, x: Any, *, measure: str = "change", below: float = 1e-2
) -> Redundancy:
    """The layers ℓ ≥ 1 whose measure on the rows x is smaller than `below`."""
    if measure not in MEASURES:
        raise InputError(f"unknown measure {measure!r}; {nearest(measure, list(MEASURES))}")
    if not below >= 0:
        raise InputError(f"below must be a number >= 0, got {below}")
    refuse_unless_prunable(net)
    values = tuple(MEASURES[measure](net, x).tolist())
    layers = tuple(
        l for l in range(1, len(values)) if values[l] < below and net.widths[l] == net.widths[l + 1]
    )
    return Redundancy(measure, below, values, layers)


def refuse_unless_prunable(net: Network) -> None:
    """Raises, with the reason, for nets whose layers cannot be deleted."""
    reasons = {
        "densenet": "every later state sums the deleted one, so that even at tau = 0 the smaller "
        "net is another function",
        "feedforward": "without an identity beside it, a layer of small tau silences all that "
        "follow",
    }
    if net.config.net in reasons:
        raise InputError(
            f"layers of a {net.config.net} cannot be deleted: {reasons[net.config.net]}; "
            "prune a resnet or a fractional net"
        )
    if net.config.net == "fractional" and net.config.tau == "global":
        raise InputError(
            "deleting a layer of a fractional net merges two time steps, and tau='global' has one "
            "step for all; train with tau='learned'"
        )


def delete_layers(net: Network, layers: tuple[int, ...]) -> Network:
    """A new net without the given layers; the old one stays as it is."""
    refuse_unless_prunable(net)
    for l in layers:
        if not 1 <= l < net.config.hidden:
            raise InputError(
                f"layer {l} cannot be deleted: layers 1 to {net.config.hidden - 1} can, "
                "layer 0 lifts the input"
            )
        if net.widths[l] != net.widths[l + 1]:
            raise InputError(f"layer {l} changes the width, so it cannot be deleted")
    kept = [l for l in range(net.config.hidden) if l not in layers]
    tau = merged_tau(net, kept)
    widths = tuple(net.widths[l + 1] for l in kept)
    smaller = Network(
        replace(
            net.config,
            hidden=len(kept),
            width=widths if len(set(widths)) > 1 else widths[0],
            tau0=1.0 if net.config.tau == "rezero" else tuple(tau.tolist()),
        )
    )
    with torch.no_grad():
        for new, old in enumerate(kept):
            smaller.W[new].copy_(net.W[old])
            smaller.b[new].copy_(net.b[old])
        smaller.W[-1].copy_(net.W[-1])
        smaller.steps.copy_(smaller.free_part(tau))
    return smaller


def merged_tau(net: Network, kept: list[int]) -> Tensor:
    """τ of the kept layers; for the Fractional-DNN each takes over the steps deleted before it."""
    tau = net.tau.detach()
    if net.config.net != "fractional":
        return tau[kept]
    ends = torch.cumsum(tau, 0)[kept]
    return torch.diff(ends, prepend=torch.zeros_like(ends[:1]))
