"""The read-out by least squares: given the hidden layers, the best W[L−1] is a linear problem."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from nets.module import Network, propagate


def hidden_states(net: Network, x: Any) -> list[Tensor]:
    """y[0..L−1] at the rows of x."""
    with torch.no_grad():
        x = net.as_batch(x, "x", net.widths[0])
        states, _ = propagate(net, x, list(net.W), list(net.b), net.tau)
    return states[:-1]


def solve_last_layer(net: Network, x: Any, y: Any) -> None:
    """Set W[L−1] to the minimiser of Σ‖W[L−1] y[L−1] − y‖² of smallest norm."""
    states = hidden_states(net, x)[-1]
    with torch.no_grad():
        y = net.as_batch(y, "y", net.widths[-1])
        # gelsd: the states of a trained net can be rank-deficient (dead units)
        solution = torch.linalg.lstsq(states, y, driver="gelsd").solution
        net.W[-1].copy_(solution.T)
