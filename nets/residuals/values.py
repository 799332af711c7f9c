"""Jets of a net at given points: its values and derivatives."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from nets.fast.kernel import numbers_of
from nets.fast.shape import Shape
from nets.fast.sweep import pool_entries
from nets.residuals import by_autograd
from nets.residuals.jets import channels, check_served, input_jets
from nets.residuals.objective import chunk_points
from nets.residuals.sweep import JetSweep
from nets.user_modules import OwnNet, Trainable

Array = NDArray[np.float64]


def jets(net: Trainable, x: Array, order: str = "first") -> Array:
    """(channels, outputs, N) at the rows of x (N, inputs), in chunks."""
    if isinstance(net, OwnNet):
        return by_autograd.jets(net, x, order)
    check_served(net.sigma, order)
    shape, count, outputs = Shape(net), channels(order), net.widths[-1]
    size = chunk_points(shape, order, len(x))
    out = np.empty((count, outputs, len(x)))
    with torch.no_grad():
        C, s = net.architecture.coefficients(net.tau.double(), net.config.gamma)
        numbers = numbers_of(list(net.W), list(net.b), C, s, torch.float64)
        sweeps: dict[int, JetSweep] = {}
        pool = torch.zeros(sum(pool_entries(shape, count * size)), dtype=torch.float64)
        for first in range(0, len(x), size):
            part = x[first : first + size]
            if len(part) not in sweeps:
                sweeps[len(part)] = JetSweep(shape, order, len(part), pool, net.sigma)
            inputs = torch.from_numpy(input_jets(part, order))
            found = sweeps[len(part)].forward(inputs, numbers).numpy()
            out[:, :, first : first + len(part)] = np.swapaxes(
                found.reshape(outputs, count, len(part)), 0, 1
            )
    return out
