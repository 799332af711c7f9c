"""How an optimiser sees the parameters: the flat vector of the net, with τ kept positive.

The Fractional-DNN divides by τ, so its τ must stay positive; the other architectures may let τ
reach 0 and below. Each optimiser declares which of three ways it uses (`nets.optimizers`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nets import optimizers
from nets.module import TAU_FLOOR
from nets.optimizers import Vector
from nets.user_modules import Trainable


@dataclass(frozen=True)
class Coordinates:
    """The map between the net's vector (τ itself) and the optimiser's (τ or log τ)."""

    positive: slice  # the entries that must stay positive: the free part of τ, or none
    way: str

    @classmethod
    def of(cls, net: Trainable, way: str) -> Coordinates:
        free = net.learns_tau and net.architecture.POSITIVE_TAU
        return cls(slice(-net.free_tau.numel(), None) if free else slice(0, 0), way)

    def inward(self, theta: Vector) -> Vector:
        """The optimiser's vector from the net's."""
        inner = theta.copy()
        if self.way == "log":
            inner[self.positive] = np.log(theta[self.positive])
        return inner

    def outward(self, inner: Vector) -> Vector:
        """The net's vector from the optimiser's (a new one only if they differ)."""
        if self.way != "log" or inner[self.positive].size == 0:
            return inner
        theta = inner.copy()
        with np.errstate(over="ignore"):  # τ = inf is rejected like any other value without J
            theta[self.positive] = np.exp(inner[self.positive])
        return theta

    def gradient_inward(self, gradient: Vector, theta: Vector) -> Vector:
        """dJ/d log τ = τ dJ/dτ."""
        if self.way == "log" and gradient[self.positive].size:
            gradient = gradient.copy()
            gradient[self.positive] *= theta[self.positive]
        return gradient

    def gradient_outward(self, gradient: Vector, theta: Vector) -> Vector:
        """dJ/dτ = (dJ/d log τ) / τ: what a history shows, whatever the optimiser was given."""
        if self.way == "log" and gradient[self.positive].size:
            gradient = gradient.copy()
            gradient[self.positive] /= theta[self.positive]
        return gradient

    def lower_bounds(self, size: int) -> Vector:
        lower = np.full(size, -np.inf)
        lower[self.positive] = TAU_FLOOR
        return lower

    def allows(self, theta: Vector) -> bool:
        """Return whether the net is defined at this τ."""
        tau = theta[self.positive]
        return bool(np.all(tau > 0) and np.all(np.isfinite(tau)))


def prepared(
    net: Trainable, optimizer: str | Callable[..., Any], options: Mapping[str, Any], seed: int = 0
) -> tuple[Callable[..., str], Coordinates]:
    """Return `minimize(objective, theta, report)` with its options set, and its coordinates.

    The training itself sets `lower`, where the optimiser keeps τ > 0 by bounds, `seed`, where it
    draws, and `parameters`, where it moves the tensors in θ.
    """
    module = optimizers.get(optimizer)
    optimizers.check_options(module, options)
    coordinates = Coordinates.of(net, module.POSITIVE)
    settings = dict(options)
    taken = module.minimize.__kwdefaults__ or {}
    if "seed" in taken:
        settings["seed"] = seed
    if "parameters" in taken:
        own = net.free_parameters()
        settings["parameters"] = (
            [p.detach().clone() for p in own] if module.POSITIVE == "log" else own
        )
    if module.POSITIVE == "bounds":
        settings["lower"] = coordinates.lower_bounds(net.pack().size)
    return partial(module.minimize, **settings), coordinates
