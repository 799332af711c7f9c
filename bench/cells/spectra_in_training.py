"""Singular values of the Jacobians between hidden layers along trainings of one net, several seeds.

End to end dy[H]/dy[1] and step by step dy[k+1]/dy[k], on a few samples, at checkpoints from the
start to the end; computed exactly, in a scaled form that cannot overflow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.cells import Result
from bench.core.plain_values import finite
from bench.core.settings import inherited, required, setting
from bench.measure.medians import median
from bench.methods.configurations import NetInAtlas, gradient_profile_bytes


@dataclass(frozen=True, kw_only=True)
class Config(NetInAtlas):
    tau0: str = inherited(NetInAtlas, "tau0", default="1/H")
    hidden: int = required(NetInAtlas, "hidden")
    samples: int = inherited(NetInAtlas, "samples", default=200)
    optimizer: str = setting("adam", help="An optimiser of `femnets list` without line search.")
    rate: float = setting(3e-3, above=0, help="Rate of the optimiser.")
    evaluations: int = setting(300, min=1, help="Evaluations of J and its gradient.")
    checkpoints: int = setting(10, min=1, help="Number of spectra after the start.")
    jacobian_samples: int = setting(8, min=1, help="Rows with Jacobians.")
    seeds: tuple[int, ...] = setting((0,), min=0, help="Seeds of weights and points (not `seed`).")


ALONE = False
TIMED = ()
competitor = None  # it records Jacobians, on few samples


def needs_bytes(config: Config) -> int:
    return gradient_profile_bytes(config, config.jacobian_samples)


def run(config: Config) -> Result:
    """Return log₁₀ arrays (seeds, checkpoints, …), means over samples; NaN after divergence.

    `end_to_end` has all singular values, `step_largest` and `step_smallest` the extreme ones of
    every step. Values: the same ends, medians over seeds.
    """
    import numpy as np

    from bench.methods.gradient_atlas import padded, watched_spectra

    nets = [replace(config, seed=seed, data_seed=seed) for seed in config.seeds]
    training = ("optimizer", "rate", "evaluations", "checkpoints", "jacobian_samples")
    options = {name: getattr(config, name) for name in training}
    runs = [watched_spectra(net, **options) for net in nets]
    rows = max(len(run["step"]) for run in runs)
    arrays = {
        name: np.stack([padded(run[name], rows) for run in runs])
        for name in ("step", "J", "tau", "end_to_end", "step_largest", "step_smallest")
    }
    whole = arrays["end_to_end"]
    values = {
        f"log10_{which}_{when}": finite(median(whole[:, row, place]))
        for which, place in (("largest", 0), ("smallest", -1))
        for when, row in (("start", 0), ("end", -1))
    }
    values["train_mse"] = finite(median(arrays["J"][:, -1]))
    lost = bool(~np.isfinite(arrays["J"][:, -1]).all())
    return Result(values, arrays, diverged=lost)
