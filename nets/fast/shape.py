"""What decides the buffers of the fast path: the widths, and how far back the skips reach."""

import torch

from nets.fast.stacks import BLOCK
from nets.module import Network, skip_terms


class Shape:
    """The shape of a net."""

    def __init__(self, net: Network) -> None:
        tau = net.tau.detach().double().requires_grad_()
        with torch.enable_grad():
            C, _ = net.architecture.coefficients(tau, net.config.gamma)
        terms = skip_terms(net, C)
        self.widths = net.widths
        self.hidden = net.config.hidden
        self.first = 0 if net.config.carry_input else 1  # the first layer that is carried on
        self.moving_C = C.requires_grad
        is_long = any(k < l - 1 for l, past in enumerate(terms) for k in past)
        self.stacked = is_long and self.first == 1 and self.hidden > BLOCK
