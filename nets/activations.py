"""Activations with their derivatives, in a table that users can extend.

`ACTIVATIONS["name"] = factory` adds one; a factory takes η and returns an `Activation`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, pi, sqrt

import torch
from torch import Tensor

from nets.errors import InputError, nearest


@dataclass(frozen=True)
class Activation:
    """σ and σ′, both componentwise; `value` is differentiable by autograd too."""

    name: str
    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]


def smooth_relu(eta: float) -> Activation:
    """max(0, z) for |z| > η, z²/(4η) + z/2 + η/4 on [−η, η] (the paper's σ, maths 2).

    Without branches: d = clamp((z+η)/2η, 0, 1), σ = η d² + max(z−η, 0), σ′ = d.
    """
    if not (eta > 0 and isfinite(eta)):
        raise InputError(f"eta must be positive, got {eta}; the paper uses 1e-4")

    def slope(z: Tensor) -> Tensor:
        return torch.clamp((z + eta) / (2 * eta), 0.0, 1.0)

    def value(z: Tensor) -> Tensor:
        return eta * slope(z) ** 2 + torch.relu(z - eta)

    return Activation("smoothrelu", value, slope)


def tanh(eta: float) -> Activation:
    """tanh z, with 1 − tanh² z; η has no part in it."""
    return Activation("tanh", torch.tanh, lambda z: 1 - torch.tanh(z) ** 2)


def softplus(eta: float) -> Activation:
    """log(1 + eᶻ), with the logistic function; η has no part in it."""
    # torch.nn.functional.softplus turns linear at z = 20, 2e-9 off; logaddexp is exact.
    return Activation("softplus", lambda z: torch.logaddexp(z, torch.zeros_like(z)), torch.sigmoid)


def relu(eta: float) -> Activation:
    """max(0, z), with slope 0 at 0 as torch has it; η has no part in it."""
    return Activation("relu", torch.relu, lambda z: (z > 0).to(z.dtype))


def gelu(eta: float) -> Activation:
    """z Φ(z) with the normal distribution Φ, slope Φ(z) + z φ(z); η has no part in it."""

    def slope(z: Tensor) -> Tensor:
        return torch.special.ndtr(z) + z * torch.exp(-(z**2) / 2) / sqrt(2 * pi)

    return Activation("gelu", torch.nn.functional.gelu, slope)


def sine(eta: float) -> Activation:
    """sin z, with cos z; η has no part in it."""
    return Activation("sine", torch.sin, torch.cos)


ACTIVATIONS: dict[str, Callable[[float], Activation]] = {
    "gelu": gelu,
    "relu": relu,
    "sine": sine,
    "smoothrelu": smooth_relu,
    "softplus": softplus,
    "tanh": tanh,
}


def activation(name: str, eta: float) -> Activation:
    """The activation of that name at the given η."""
    if name not in ACTIVATIONS:
        raise InputError(f"unknown activation {name!r}; {nearest(name, sorted(ACTIVATIONS))}")
    return ACTIVATIONS[name](eta)
