"""The theorems and counterexamples of maths 9 as numbers, for one seed, for the claims."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from base.registry import name_of
from nets.architectures import densenet, fractional, resnet
from nets.module import build
from nets.theory.counterexamples import contracting_resnet, escape, log10_decay, product_of_factors
from nets.theory.paths import decay_exponent, identity_path, identity_path_limit
from nets.theory.rescaling import EXACT_RELU, rescaling_gap
from nets.theory.slips import example_points
from nets.theory.trade_off import example_6_3

DEEP = 400  # layers of the identity path: its slope is within 3e-3 of the limit
STEEP = 100.0  # the large weight of Example 6.3


def measured_theorems(seed: int) -> dict[str, Any]:
    """Measure all of them; the seed draws the order γ, the weights and steps, the points."""
    random = np.random.Generator(np.random.Philox([seed, 9]))
    gamma = float(random.uniform(0.2, 0.8))
    left = escape()
    cured, ill = (example_6_3(STEEP, tau) for tau in (1.0 / STEEP, 1.0))
    return {
        "gamma": gamma,
        "identity_path_slope": decay_exponent(DEEP, gamma),
        "identity_path_constant": identity_path(DEEP, gamma)[-1] / identity_path_limit(DEEP, gamma),
        "contracting_log10_decay": log10_decay(contracting_resnet(), seed),
        "product_of_factors_below_one": product_of_factors(200),
        "escape_growth": left.growth,
        "escape_bound": left.bound,
        "example_6_3_first": [ill.first_bias, cured.first_bias],
        "example_6_3_second": [ill.second_bias, cured.second_bias],
        "rescaling_gap": {
            "resnet": _gap(seed, resnet, "uniform"),
            "densenet": _gap(seed, densenet, "uniform"),
            "fractional, equal steps": _gap(seed, fractional, 0.3),
            "fractional, unequal steps": _gap(seed, fractional, "uniform"),
        },
    }


def _gap(seed: int, architecture: ModuleType, tau0: float | str) -> float:
    net = name_of(architecture)
    tall = build(net=net, tau0=tau0, hidden=6, width=10, inputs=4, eta=EXACT_RELU, seed=seed)
    return rescaling_gap(tall, example_points(seed))
