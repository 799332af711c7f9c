"""The correlation length ξ of wide random feedforward nets: measured on pairs, and predicted.

Weights are given by their variance relative to the edge of chaos, where ξ is infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bench.cells import Result
from bench.core.plain_values import finite
from bench.core.settings import setting
from bench.methods.configurations import NET


@dataclass(frozen=True, kw_only=True)
class Config:
    activation: str = setting("tanh", panel=NET, help="Activation.")
    bias_variance: float = setting(0.05, above=0, help="Bias variance; at 0, c* attracts nothing.")
    ratios: tuple[float, ...] = setting(
        (0.2, 0.4, 0.6, 0.7, 0.8, 1.4, 1.7, 2.0, 2.5),
        above=0,
        help="Weight variances, as ratios to that at the edge of chaos.",
    )
    width: int = setting(1000, min=2, help="Width of the layers.")
    depth: int = setting(100, min=6, help="Layers.")
    inputs: int = setting(24, min=2, help="Number of inputs; all pairs are measured.")
    seeds: tuple[int, ...] = setting((0,), min=0, help="Seeds of weights and inputs.")


ALONE = False
TIMED = ()
competitor = None  # nothing is trained


def needs_bytes(config: Config) -> int:
    return (
        400 * 2**20 + 8 * config.width**2 + 64 * config.inputs * config.width * len(config.ratios)
    )


def run(config: Config) -> Result:
    """Return lists with one entry per ratio; null where q diverges (theory: ξ is infinite).

    ξ is measured on all seeds together, and seed by seed for its scatter.
    """
    import numpy as np

    from nets.activations import activation
    from nets.theory import mean_field
    from nets.theory.correlations import correlations, decay_length

    sigma, v = activation(config.activation, 1e-4), config.bias_variance
    edge = mean_field.edge_of_chaos(sigma, v)
    w = [ratio * edge for ratio in config.ratios]
    q = [mean_field.fixed_variance(sigma, each, v) for each in w]
    kept = [k for k, each in enumerate(q) if math.isfinite(each)]
    ends = [mean_field.fixed_correlation(sigma, w[k], v, q[k]) for k in kept]
    begin = [(q[k], 0.0 if end > 0.5 else 0.95) for k, end in zip(kept, ends, strict=True)]
    sizes = {name: getattr(config, name) for name in ("width", "depth", "inputs")}
    c = np.stack(
        [
            correlations(sigma, [w[k] for k in kept], v, begin, **sizes, seed=seed)
            for seed in config.seeds
        ]
    )
    predicted = [mean_field.correlation_length(sigma, each, v) for each in w]
    by_seed: list[list[float | None]] = [[] for _ in w]
    measured: list[float | None] = [None] * len(w)
    for place, k in enumerate(kept):
        measured[k] = decay_length(c[:, place])
        by_seed[k] = [decay_length(curve[None]) for curve in c[:, place]]
    values = {
        "edge": edge,
        "edge_without_biases": mean_field.edge_of_chaos(sigma),
        "layer_norm_gain": mean_field.layer_norm_gain(sigma),
        "xi": measured,
        "xi_by_seed": by_seed,
        "xi_predicted": finite(predicted),
    }
    return Result(values, {"correlations": c, "kept": np.array(kept)})
