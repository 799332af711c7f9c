"""Wide feedforward nets at random weights: what averages over Gaussian pre-activations predict.

With W of independent entries of variance w/n, b of variance v, and n → ∞, pre-activations are
Gaussian of variance q, two of them with correlation c (Poole et al. 2016, Schoenholz et al. 2017):

    q ↦ w E[σ(√q ζ)²] + v,      c ↦ (w E[σ(u₁) σ(u₂)] + v) / q,      χ = w E[σ'(√q ζ)²].

A gradient's square grows by χ per layer on its way back. χ < 1 is the ordered phase (gradients
vanish, inputs become alike), χ > 1 the chaotic one; between them is the edge of chaos, χ = 1.
Correlations approach their fixed point like exp(-l/ξ). At χ = 1 the squared singular values of the
Jacobian of L layers have mean 1 and the variance (Pennington et al. 2017)

    L (μ₂/μ₁² - 1 - s),   μ_k = E[σ'(√q ζ)^{2k}],   s = -1 for Gaussian, 0 for orthogonal weights:

dynamical isometry is a variance that stays bounded, which needs orthogonal weights and μ₂ ≈ μ₁².
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import brentq

from base.errors import UserError
from nets.activations import Activation

Array = NDArray[np.float64]
Function = Callable[[torch.Tensor], torch.Tensor]

REACH, PANELS, NODES = 9.0, 36, 8  # of the Gaussian integrals: 1e-12 for every activation here
LARGEST, SMALLEST = 1e12, 1e-14  # beyond these q has no fixed point but infinity or zero


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


def layer_norm_gain(sigma: Activation) -> float:
    """χ = E[σ'(ζ)²] / E[σ(ζ)²] of a wide layer whose pre-activations are normalised before σ.

    They have q = 1 whatever the weights are, and were divided by ρ² = w E[σ(ζ)²]: w cancels, and
    LayerNorm has no phases in the scale of the weights, only χ by activation, one for rectifiers.
    The two directions that its derivative takes away are 2/n of the gradient.
    """
    return gain(sigma, 1.0, 1.0) / next_variance(sigma, 1.0, 0.0, 1.0)


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


def fixed_variance(sigma: Activation, w: float, v: float, start: float = 1.0) -> float:
    """q* = lim q[l] from a start; 0 or inf where q runs away.

    E[σ(√q ζ)²] grows with q, so that q[l] is monotone and ends at the first fixed point on its way:
    bracketed by steps of a tenth of a decade, since near the edge 20 000 rounds of the map itself
    still are 4e-4 off.
    """

    def excess(q: float) -> float:
        return next_variance(sigma, w, v, q) / q - 1.0

    here = excess(start)
    if abs(here) <= 1e-13:
        return start
    step, q = 10.0 ** math.copysign(0.1, here), start
    while SMALLEST < q < LARGEST:
        before, q = q, q * step
        if excess(q) * here <= 0.0:
            low, high = sorted((before, q))
            return float(brentq(excess, low, high, xtol=1e-15 * low, rtol=1e-13))
    return math.inf if here > 0.0 else 0.0


def edge_of_chaos(sigma: Activation, v: float = 0.0, start: float = 1.0) -> float:
    """The weight variance w at which χ(q*) = 1 for biases of variance v, by bisection."""

    def chaotic(w: float) -> bool:
        q = fixed_variance(sigma, w, v, start)
        return gain(sigma, w, min(max(q, SMALLEST), LARGEST)) > 1.0

    low, high = 1e-3, 100.0
    if chaotic(low) or not chaotic(high):
        raise UserError(f"{sigma.name} has no edge of chaos between w = {low} and {high}")
    while high - low > 1e-9 * high:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if chaotic(middle) else (middle, high)
    return high


def correlation_map(sigma: Activation, w: float, v: float, q: float, c: float) -> float:
    """The correlation in the next layer of two inputs of variance q and correlation c."""
    first = math.sqrt(q) * ZETA[:, None]
    second = math.sqrt(q) * (c * ZETA[:, None] + math.sqrt(max(1 - c * c, 0.0)) * ZETA[None, :])
    joint = WEIGHT @ (sigma.value(first) * sigma.value(second)) @ WEIGHT
    return (w * float(joint) + v) / next_variance(sigma, w, v, q)


def correlation_length(sigma: Activation, w: float, v: float, start: float = 1.0) -> float:
    """ξ: layers over which two inputs' correlation comes nearer to its fixed point by 1/e.

    ξ = -1/log λ with λ = w E[σ'(u₁) σ'(u₂)] at the fixed point c*, which is 1 in the ordered phase.
    Where q itself runs away, by the factor r per layer, λ = χ/r at c* = 1: one, and ξ = ∞, for
    rectifiers of any w without biases and for whatever is linear near 0.
    """
    q = fixed_variance(sigma, w, v, start)
    if not SMALLEST < q < math.inf:
        far = min(max(q, SMALLEST), LARGEST)
        rate = gain(sigma, w, far) * far / next_variance(sigma, w, 0.0, far)
    else:
        c = fixed_correlation(sigma, w, v, q)
        first = math.sqrt(q) * ZETA[:, None]
        other = c * ZETA[:, None] + math.sqrt(max(1 - c * c, 0.0)) * ZETA[None, :]
        slopes = sigma.slope(first) * sigma.slope(math.sqrt(q) * other)
        rate = w * float(WEIGHT @ slopes @ WEIGHT)
    return math.inf if abs(math.log(rate)) < 1e-6 else 1 / abs(math.log(rate))


def fixed_correlation(sigma: Activation, w: float, v: float, q: float) -> float:
    """c*, where correlations end: 1 for χ ≤ 1, else the fixed point below it."""
    if gain(sigma, w, q) <= 1.0:
        return 1.0

    def excess(c: float) -> float:
        return correlation_map(sigma, w, v, q, c) - c

    below = 1.0 - 1e-6  # beyond it is the other fixed point, 1
    if excess(0.0) <= 0.0 or excess(below) >= 0.0:
        return 0.0 if excess(0.0) <= 0.0 else 1.0
    return float(brentq(excess, 0.0, below, xtol=1e-12))


def jacobian_variance(sigma: Activation, q: float, depth: int, *, orthogonal: bool) -> float:
    """Variance of the squared singular values over their squared mean, for `depth` layers."""
    first = average(lambda z: sigma.slope(z) ** 2, q)
    second = average(lambda z: sigma.slope(z) ** 4, q)
    return depth * (second / first**2 - 1 + (0.0 if orthogonal else 1.0))
