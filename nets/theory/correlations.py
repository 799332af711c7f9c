"""How alike two inputs remain in a wide random feedforward net, and over how many layers.

z ↦ W σ(z) + b with entries of W of variance w/n and biases of variance v, the same for both inputs;
c[l] is the cosine of two pre-activation vectors, averaged over all pairs of some inputs, since one
pair scatters by 1/√n about its c*. No mean-field theory is used: the result is what
`nets.theory.mean_field.correlation_length` has to predict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from nets.activations import Activation

Array = NDArray[np.float64]
# The decay is taken to be exponential from this part of the first distance on. At c* = 1 the map of
# a rectifier has a term of (1-c)^{3/2} besides, which takes longer to fade.
NEAR, NEAR_ONE = 0.3, 0.01
FEWEST = 3  # layers for a slope
NOISE = 1e-5  # of 1 - c in single precision
ONE = 1e-3  # a limit closer to one than this counts as one


def correlations(
    sigma: Activation,
    w: Sequence[float],
    v: float,
    start: Sequence[tuple[float, float]],
    *,
    width: int,
    depth: int,
    inputs: int,
    seed: int,
) -> Array:
    """c[0..depth], averaged over all pairs of inputs, a row per w; all with the same random draws.

    `start` has for every w the variance of the first pre-activations and their correlation.
    """
    random = torch.Generator().manual_seed(seed)
    own, shared = (torch.randn(rows, width, generator=random) for rows in (inputs, 1))
    parts = [(math.sqrt(q * c), math.sqrt(q * (1 - c))) for q, c in start]
    z = torch.stack([a * shared + b * own for a, b in parts])
    found = [_cosines(z)]
    gains = torch.tensor([math.sqrt(each / width) for each in w])[:, None, None]
    for _ in range(depth):
        G, bias = torch.randn(width, width, generator=random), torch.randn(width, generator=random)
        z = gains * (sigma.value(z) @ G.T) + math.sqrt(v) * bias
        found.append(_cosines(z))
    return np.stack(found, axis=1)


def _cosines(z: torch.Tensor) -> Array:
    """Mean of the cosines of different inputs, (rows of w,)."""
    unit = z.double() / z.double().norm(dim=-1, keepdim=True)
    inputs = unit.shape[1]
    whole = unit.sum(1).square().sum(-1)  # the sum over all pairs, each input with itself too
    found: Array = ((whole - inputs) / (inputs * (inputs - 1))).numpy()
    return found


def decay_length(curves: Array) -> float | None:
    """ξ from c[0..depth] of several nets, (nets, depth + 1), with c - c* ~ e^{-l/ξ} near c*.

    At c* = 1 the slope of log(1 - c), averaged over nets. Else c* is the mean over the last half,
    and λ the regression of c[l+1] - c* on c[l] - c*: a net of finite width is pushed off c* in
    every layer and comes back at the same rate, so its scatter shows λ like its decay.
    None where too few layers are left.
    """
    mean = curves.mean(axis=0)
    if _ends_at_one(mean):
        gaps = 1.0 - mean
        layers = np.flatnonzero((gaps < NEAR_ONE * gaps[0]) & (gaps > NOISE))
        if len(layers) < FEWEST:
            return None
        rate = math.exp(np.polyfit(layers, np.log(gaps[layers]), 1)[0])
    else:
        gaps = curves - mean[len(mean) // 2 :].mean()
        near = np.abs(gaps[:, :-1]) < NEAR * np.abs(gaps[:, :1])
        before, after = gaps[:, :-1][near], gaps[:, 1:][near]
        rate = float(before @ after / (before @ before)) if len(before) else 0.0
    return -1.0 / math.log(rate) if 0.0 < rate < 1.0 else None


def _ends_at_one(c: Array) -> bool:
    """Whether 1 - c is negligible, or keeps falling by the same factor from third to third."""
    third = len(c) // 3
    gaps = 1.0 - c[[third, 2 * third, 3 * third - 1]]
    if gaps.min() <= ONE:
        return True
    early, late = math.log(gaps[0] / gaps[1]), math.log(gaps[1] / gaps[2])
    return early > 0.3 and late > 0.7 * early
