"""Starting values: weights, biases and time steps, from a seed and nothing else.

Philox streams drawn in float64 and then cast: the same seed gives the same numbers in every
precision, and no global generator is touched.
"""

from collections.abc import Callable
from itertools import pairwise
from math import sqrt

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nets.tau import Tau0, starting_steps

Array = NDArray[np.float64]
Initialiser = Callable[[np.random.Generator, int, int], tuple[Array, Array]]


def torch_uniform(random: np.random.Generator, fan_out: int, fan_in: int) -> tuple[Array, Array]:
    """W, b ~ U(±1/√fan_in), as torch.nn.Linear starts."""
    bound = 1 / sqrt(fan_in)
    return random.uniform(-bound, bound, (fan_out, fan_in)), random.uniform(-bound, bound, fan_out)


def he(random: np.random.Generator, fan_out: int, fan_in: int) -> tuple[Array, Array]:
    """W ~ N(0, 2/fan_in), b = 0 (He et al. 2015, for rectifiers)."""
    return random.normal(0, sqrt(2 / fan_in), (fan_out, fan_in)), np.zeros(fan_out)


def xavier(random: np.random.Generator, fan_out: int, fan_in: int) -> tuple[Array, Array]:
    """W ~ N(0, 2/(fan_in + fan_out)), b = 0 (Glorot & Bengio 2010)."""
    return random.normal(0, sqrt(2 / (fan_in + fan_out)), (fan_out, fan_in)), np.zeros(fan_out)


def normal(random: np.random.Generator, fan_out: int, fan_in: int) -> tuple[Array, Array]:
    """W, b ~ N(0, 1/fan_in)."""
    deviation = 1 / sqrt(fan_in)
    return random.normal(0, deviation, (fan_out, fan_in)), random.normal(0, deviation, fan_out)


def orthogonal(random: np.random.Generator, fan_out: int, fan_in: int) -> tuple[Array, Array]:
    """W with orthonormal rows or columns, uniform over such matrices, b = 0 (Saxe et al. 2014)."""
    tall = random.normal(size=(max(fan_out, fan_in), min(fan_out, fan_in)))
    Q, R = np.linalg.qr(tall)
    Q = Q * np.sign(np.diag(R))  # without it QR prefers some directions (Mezzadri 2007)
    return (Q if fan_out >= fan_in else Q.T), np.zeros(fan_out)


INITIALISERS: dict[str, Initialiser] = {
    "torch": torch_uniform,
    "he": he,
    "xavier": xavier,
    "normal": normal,
    "orthogonal": orthogonal,
}


def starting_weights(
    widths: tuple[int, ...],
    init: str,
    scale: float,
    sort_biases: bool,
    seed: int,
    first_scale: float = 1.0,
) -> tuple[list[Tensor], list[Tensor]]:
    """W[0..L−1] and b[0..L−2], both multiplied by `scale`; biases ascending if `sort_biases`.

    `first_scale` multiplies W[0] and b[0] once more. With σ = sin the first layer is one of Fourier
    features w·x + b, whose frequencies it sets (ω₀ of Sitzmann et al. 2020); they are then trained.
    """
    random = np.random.Generator(np.random.Philox(seed))
    W, b = [], []
    for fan_in, fan_out in pairwise(widths):
        weight, bias = INITIALISERS[init](random, fan_out, fan_in)
        W.append(torch.from_numpy(scale * weight))
        b.append(torch.from_numpy(scale * (np.sort(bias) if sort_biases else bias)))
    W[0] *= first_scale
    b[0] *= first_scale
    return W, b[:-1]  # the read-out has no bias


def starting_tau(policy: str, tau0: Tau0, hidden: int, seed: int) -> Tensor:
    """τ[0..H−1] by the grammar of `nets.tau`; "uniform" is in (0, 1].

    ReZero starts from τ[0] = 1 and zeros; tau0 is not used. A random global step is one
    draw for all layers. The draws come from a stream of their own, so that nets that differ only
    in τ₀ start from the same weights.
    """
    if policy == "rezero":
        return torch.eye(1, hidden, dtype=torch.float64)[0]
    steps = starting_steps(tau0, hidden)
    if steps is not None:
        return torch.tensor(steps, dtype=torch.float64)
    random = np.random.Generator(np.random.Philox([seed, 1]))
    drawn = torch.from_numpy(1 - random.random(1 if policy == "global" else hidden))
    return drawn.expand(hidden)
