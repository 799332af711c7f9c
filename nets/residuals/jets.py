"""Which derivatives travel through the net together."""

from __future__ import annotations

from base.errors import UserError, nearest
from nets.activations import Activation

DIMENSION = 3
#: order of a jet -> number of its channels
CHANNELS = {"value": 1, "first": 4, "laplacian": 5, "second": 10}
#: order of a jet -> derivatives of the activation that it is made of
DERIVATIVES = {"value": 0, "first": 1, "laplacian": 2, "second": 2}
#: the channels 4..9 of "second": ∂_j∂_k with j ≤ k
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def channels(order: str) -> int:
    """How many channels the jet of that order has."""
    if order not in CHANNELS:
        raise UserError(f"unknown order {order!r} of a jet; {nearest(order, list(CHANNELS))}")
    return CHANNELS[order]


def check_served(sigma: Activation, order: str) -> None:
    """Raise a UserError for an activation with too few continuous derivatives for the jet."""
    needed = DERIVATIVES[order]
    if sigma.smoothness < needed:
        raise UserError(
            f"{sigma.name} has {sigma.smoothness} continuous derivative"
            f"{'' if sigma.smoothness == 1 else 's'} and second derivatives of the net need "
            f"{needed}; use tanh, or residuals of first order"
        )
