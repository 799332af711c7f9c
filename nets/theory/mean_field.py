"""Wide feedforward nets at random weights: what averages over Gaussian pre-activations predict.

With W of independent entries of variance w/n, b of variance v, and n → ∞, pre-activations are
Gaussian of variance q (Poole et al. 2016, Schoenholz et al. 2017):

    q ↦ w E[σ(√q ζ)²] + v,      χ = w E[σ'(√q ζ)²].

A gradient's square grows by χ per layer on its way back. χ < 1 is the ordered phase, where
gradients vanish, χ > 1 the chaotic one, where they explode.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from nets.activations import Activation

Array = NDArray[np.float64]
Function = Callable[[torch.Tensor], torch.Tensor]

REACH, PANELS, NODES = 9.0, 36, 8  # of the Gaussian integrals: 1e-12 for every activation here
LARGEST = 1e12  # a variance beyond it stays there


def _rule() -> tuple[torch.Tensor, torch.Tensor]:
    """Composite Gauss-Legendre for E[f(ζ)], with a joint at 0 where rectifiers have their kink."""
    x, weights = np.polynomial.legendre.leggauss(NODES)
    edges = np.linspace(-REACH, REACH, PANELS + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    zeta = (middle[:, None] + half[:, None] * x).ravel()
    density = np.exp(-(zeta**2) / 2) / math.sqrt(2 * math.pi)
    return torch.from_numpy(zeta), torch.from_numpy((half[:, None] * weights).ravel() * density)


ZETA, WEIGHT = _rule()


def average(function: Function, q: float) -> float:
    """E[f(√q ζ)] for a standard Gaussian ζ."""
    return float(WEIGHT @ function(math.sqrt(q) * ZETA))


def next_variance(sigma: Activation, w: float, v: float, q: float) -> float:
    """w E[σ(√q ζ)²] + v."""
    return w * average(lambda z: sigma.value(z) ** 2, q) + v


def gain(sigma: Activation, w: float, q: float) -> float:
    """χ = w E[σ'(√q ζ)²]."""
    return w * average(lambda z: sigma.slope(z) ** 2, q)


def variances(sigma: Activation, w: float, v: float, q: float, depth: int) -> Array:
    """q[1..depth] from q[1] = q."""
    found = [q]
    for _ in range(depth - 1):
        found.append(min(next_variance(sigma, w, v, found[-1]), LARGEST))
    return np.array(found)


def log10_growth(sigma: Activation, w: float, v: float, q: float, depth: int) -> float:
    """Predicted log₁₀ of ‖∂J/∂y[1]‖ / ‖∂J/∂y[depth]‖, before any weight is drawn.

    The step from y[k] to y[k+1] has pre-activations of variance q[k+1].
    """
    steps = variances(sigma, w, v, q, depth)[1:]
    return 0.5 * sum(math.log10(max(gain(sigma, w, step), 1e-300)) for step in steps)
