"""A net without some of its layers: what each architecture means by that, and the smaller net."""

from __future__ import annotations

from dataclasses import replace

import torch

from base.errors import UserError
from nets import architectures
from nets.architectures import Deletion
from nets.module import Network


def deletion_of(net: Network) -> Deletion:
    """Return how layers of the net are deleted; a UserError says why where they cannot be."""
    name, deletion = net.config.net, net.architecture.DELETION
    if isinstance(deletion, str):
        can = [
            n for n in architectures.names() if isinstance(architectures.get(n).DELETION, Deletion)
        ]
        raise UserError(
            f"layers of a {name} cannot be deleted: {deletion}; prune one of {', '.join(can)}"
        )
    if net.config.tau in deletion.refused:
        raise UserError(
            f"layers of this {name} cannot be deleted: {deletion.refused[net.config.tau]}"
        )
    return deletion


def delete_layers(net: Network, layers: tuple[int, ...]) -> Network:
    """A new net without the given layers; the old one stays as it is."""
    deletion = deletion_of(net)
    for l in layers:
        if not 1 <= l < net.config.hidden:
            raise UserError(
                f"layer {l} cannot be deleted: layers 1 to {net.config.hidden - 1} can, "
                "layer 0 lifts the input"
            )
        if net.widths[l] != net.widths[l + 1]:
            raise UserError(f"layer {l} changes the width, so it cannot be deleted")
    kept = [l for l in range(net.config.hidden) if l not in layers]
    tau = deletion.steps(net.tau.detach(), kept)
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
    smaller.set_tau(tau)
    return smaller
