"""Jets of a net at given points: its values and derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nets.fast.shape import Shape
from nets.residuals.by_autograd import module_jets
from nets.residuals.jets import channels, check_served
from nets.residuals.sweep import PointSweep
from nets.residuals.tiles import net_of
from nets.user_modules import OwnNet, Trainable

Array = NDArray[np.float64]
POINTS_AT_ONCE = 4096


def jets(net: Trainable, x: Array, order: str = "first") -> Array:
    """(channels, outputs, N) at the rows of x (N, inputs), in chunks."""
    if isinstance(net, OwnNet):
        return module_jets(net.inner, x, order)
    check_served(net.sigma, order)
    shape, out = Shape(net), np.empty((channels(order), net.widths[-1], len(x)))
    numbers = net_of(net, net.pack(), shape)
    for first in range(0, len(x), POINTS_AT_ONCE):
        part = x[first : first + POINTS_AT_ONCE]
        nothing = np.zeros((0, *out.shape[:2], len(part)))
        sweep = PointSweep(shape, net.sigma, order, part, nothing, np.zeros((0, len(part))))
        out[:, :, first : first + len(part)] = np.swapaxes(sweep.jets(numbers), 0, 1)
    return out
