"""Activations with their derivatives, in a table that users can extend.

`ACTIVATIONS["name"] = factory` adds one; a factory takes η and returns an `Activation`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, pi, sqrt

import torch
from torch import Tensor

from base.errors import UserError, nearest


@dataclass(frozen=True)
class Activation:
    """An activation σ and σ′, componentwise; autograd can differentiate `value` too.

    `smoothness` is the number of continuous derivatives, which residuals with derivatives of the
    net check. `curvature` = σ″ and `third` = σ‴ may be left out if the net is never given an
    equation; the highest need exist only almost everywhere (σ″ of smoothReLU is a step).
    """

    name: str
    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]
    curvature: Callable[[Tensor], Tensor] | None = None
    third: Callable[[Tensor], Tensor] | None = None
    smoothness: float = 1


def smooth_relu(eta: float) -> Activation:
    """max(0, z) for |z| > η, z²/(4η) + z/2 + η/4 on [−η, η] (the paper's σ, maths 2).

    Without branches: d = clamp((z+η)/2η, 0, 1), σ = η d² + max(z−η, 0), σ′ = d.
    """
    if not (eta > 0 and isfinite(eta)):
        raise UserError(f"eta must be positive, got {eta}; the paper uses 1e-4")

    def slope(z: Tensor) -> Tensor:
        return torch.clamp((z + eta) / (2 * eta), 0.0, 1.0)

    def value(z: Tensor) -> Tensor:
        return eta * slope(z) ** 2 + torch.relu(z - eta)

    def curvature(z: Tensor) -> Tensor:
        return (z.abs() < eta).to(z.dtype) * (0.5 / eta)

    return Activation("smoothrelu", value, slope, curvature, smoothness=1)


def tanh(eta: float) -> Activation:
    """t = tanh z, t′ = 1 − t², t″ = −2 t t′, t‴ = (6t² − 2) t′; η is not used."""

    def slope(z: Tensor) -> Tensor:
        return 1 - torch.tanh(z) ** 2

    def curvature(z: Tensor) -> Tensor:
        return -2 * torch.tanh(z) * slope(z)

    def third(z: Tensor) -> Tensor:
        return (6 * torch.tanh(z) ** 2 - 2) * slope(z)

    return Activation("tanh", torch.tanh, slope, curvature, third, smoothness=inf)


def softplus(eta: float) -> Activation:
    """log(1 + eᶻ), with the logistic function p, p (1 − p), p (1 − p)(1 − 2p); η is not used."""

    def value(z: Tensor) -> Tensor:
        # torch.nn.functional.softplus turns linear at z = 20, 2e-9 off; logaddexp is exact.
        return torch.logaddexp(z, torch.zeros_like(z))

    def curvature(z: Tensor) -> Tensor:
        p = torch.sigmoid(z)
        return p * (1 - p)

    def third(z: Tensor) -> Tensor:
        p = torch.sigmoid(z)
        return p * (1 - p) * (1 - 2 * p)

    return Activation("softplus", value, torch.sigmoid, curvature, third, smoothness=inf)


def sine(eta: float) -> Activation:
    """sin z (Sitzmann et al. 2020), with cos z, −sin z, −cos z; η is not used."""

    def curvature(z: Tensor) -> Tensor:
        return -torch.sin(z)

    def third(z: Tensor) -> Tensor:
        return -torch.cos(z)

    return Activation("sine", torch.sin, torch.cos, curvature, third, smoothness=inf)


def swish(eta: float) -> Activation:
    """z p with the logistic function p (Ramachandran et al. 2017), a smooth rectifier.

    With q = p (1 − p): p + zq, 2q + zr, 3r + zt, r = q (1 − 2p), t = r (1 − 2p) − 2q².
    """

    def parts(z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        p = torch.sigmoid(z)
        q = p * (1 - p)
        return p, q, q * (1 - 2 * p)

    def slope(z: Tensor) -> Tensor:
        p, q, _ = parts(z)
        return p + z * q

    def curvature(z: Tensor) -> Tensor:
        _, q, r = parts(z)
        return 2 * q + z * r

    def third(z: Tensor) -> Tensor:
        p, q, r = parts(z)
        return 3 * r + z * (r * (1 - 2 * p) - 2 * q * q)

    return Activation(
        "swish", lambda z: z * torch.sigmoid(z), slope, curvature, third, smoothness=inf
    )


def relu(eta: float) -> Activation:
    """max(0, z), with slope 0 at 0 as in torch; η is not used."""
    return Activation("relu", torch.relu, lambda z: (z > 0).to(z.dtype))


def gelu(eta: float) -> Activation:
    """z Φ(z) with the normal distribution Φ, slope Φ(z) + z φ(z); η is not used."""

    def slope(z: Tensor) -> Tensor:
        return torch.special.ndtr(z) + z * torch.exp(-(z**2) / 2) / sqrt(2 * pi)

    return Activation("gelu", torch.nn.functional.gelu, slope)


ACTIVATIONS: dict[str, Callable[[float], Activation]] = {
    "gelu": gelu,
    "relu": relu,
    "sine": sine,
    "smoothrelu": smooth_relu,
    "softplus": softplus,
    "swish": swish,
    "tanh": tanh,
}


def activation(name: str, eta: float) -> Activation:
    """Return the activation called `name` at the given η."""
    if name not in ACTIVATIONS:
        raise UserError(f"unknown activation {name!r}; {nearest(name, sorted(ACTIVATIONS))}")
    return ACTIVATIONS[name](eta)
