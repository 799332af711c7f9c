"""The sizes of the buffers of the fast path, and the leading rows of one."""

import torch
from torch import Tensor

from nets.module import Network, skip_terms


class Shape:
    """The sizes that decide the buffers: the widths, and how far back the skips reach."""

    def __init__(self, net: Network) -> None:
        tau = net.tau.detach().double().requires_grad_()
        with torch.enable_grad():
            C, _ = net.architecture.coefficients(tau, net.config.gamma)
        terms = skip_terms(net, C)
        self.widths = net.widths
        self.hidden = net.config.hidden
        self.widest = max(net.widths[1:-1])
        self.ragged = len(set(net.widths[1:-1])) > 1
        self.first = 0 if net.config.carry_input else 1  # the first layer that is carried on
        self.moving_C = C.requires_grad
        self.long = any(k < l - 1 for l, past in enumerate(terms) for k in past)

    def stack_entries(self, rows: int) -> tuple[int, int]:
        """Return the number of entries in the buffers of the states and of the adjoints."""
        slot = self.widest * rows
        states = (self.hidden + 1 - self.first) * slot
        return states, states if self.long else slot


def leading(slot: Tensor, width: int, rows: int) -> Tensor:
    """The first `width` features of a flat buffer."""
    return slot[: width * rows].view(width, rows)
