"""Jets of a net at given points: its values and derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nets.fast.sweep import jets_at
from nets.residuals.by_autograd import module_jets
from nets.residuals.jets import DERIVATIVES, channels, check_served
from nets.user_modules import OwnNet, Trainable

Array = NDArray[np.float64]


def jets(net: Trainable, x: Array, order: str = "first") -> Array:
    """(channels, outputs, N) at the rows of x (N, inputs), in chunks."""
    if isinstance(net, OwnNet):
        return module_jets(net.inner, x, order)
    check_served(net.sigma, order)
    return jets_at(net, x, channels(order), DERIVATIVES[order])
