"""Labels for a profile of gradient norms over the layers, by rules declared here and nowhere else.

The profile runs from the first layer to the last; gradients travel the other way. With
ratio = norm at the first living layer / norm at the last living layer:

    dead layer   some layer's norm is 0, or below DEAD times the largest, while others live
    vanishing    ratio < VANISHING: the gradient of the last layer hardly reaches the first
    exploding    ratio > EXPLODING, or a norm beyond float64
    healthy      everything else

In log₁₀, so that norms beyond float64 are judged like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

VANISHING = 1e-3
EXPLODING = 1e3
DEAD = 1e-15  # relative to the largest norm: below rounding, so an optimiser step leaves it alone

Label = Literal["vanishing", "exploding", "healthy", "dead layer"]


@dataclass(frozen=True)
class Verdict:
    """The label by the rules above, and the numbers it rests on."""

    label: Label
    log10_ratio: float  # first over last living layer; 0 if none lives


def judge(log10_norms: Sequence[float]) -> Verdict:
    """The verdict on log₁₀ norms of layers 0, 1, … (first to last); -inf is an exact zero."""
    profile = np.asarray(log10_norms, dtype=np.float64)
    if profile.size == 0 or np.isnan(profile).any() or np.isposinf(profile).any():
        return Verdict("exploding", math.inf)
    threshold = profile.max() + math.log10(DEAD)
    living = np.flatnonzero((profile > threshold) & np.isfinite(profile))
    if living.size == 0:
        return Verdict("dead layer", 0.0)
    ratio = float(profile[living[0]] - profile[living[-1]])
    # a smooth decay over many layers also passes DEAD: that is vanishing, not a dead layer
    faint = profile[living[0] : living[-1]] <= threshold
    if faint.any() or not np.isfinite(profile).all():
        return Verdict("dead layer", ratio)
    ends = float(profile[0] - profile[-1])
    if min(ratio, ends) < math.log10(VANISHING):
        return Verdict("vanishing", ratio)
    return Verdict("exploding" if max(ratio, ends) > math.log10(EXPLODING) else "healthy", ratio)
