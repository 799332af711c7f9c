"""A learned τ as a time grid: its correlation with local errors, and the grid at another depth.

For each judging seed a net with learned τ is trained and examined. Then nets of another depth are
trained with a fixed τ: the learned grid transferred, reversed, or replaced by even steps over the
same time. The rate of each training is chosen on tuning seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.cells import Result
from bench.cells._nets import Judged
from bench.core.plain_values import finite
from bench.core.settings import inherited, required, setting
from bench.methods.configurations import NetOnData, part_of


@dataclass(frozen=True, kw_only=True)
class Config(Judged):
    net: str = inherited(NetOnData, "net")
    tau0: str = inherited(NetOnData, "tau0", default="1/H")
    hidden: int = required(NetOnData, "hidden")
    deeper: int = setting(24, min=2, help="Hidden layers of the nets that take the grid over.")
    width: int = inherited(NetOnData, "width", default=20)
    gamma: float = inherited(NetOnData, "gamma")
    init: str = inherited(NetOnData, "init")
    problem: str = inherited(NetOnData, "problem")
    samples: int = inherited(NetOnData, "samples", default=200)
    optimizer: str = setting("adam", help="An optimiser of `femnets list` that takes a rate.")
    rates: tuple[float, ...] = setting((1e-2,), above=0, help="Candidate rates.")
    evaluations: int = setting(300, min=1, help="Evaluations of J and its gradient per training.")


ALONE = False
TIMED = ()
competitor = None  # it examines τ, not a field


def needs_bytes(config: Config) -> int:
    return 500 * 2**20


def run(config: Config) -> Result:
    from bench.measure.medians import median
    from bench.methods.open_questions.time_grids import GRIDS

    tuning = [_endings(config, seed) for seed in config.tuning_seeds]
    arms = ("learned", *GRIDS)
    tried = {
        (arm, rate): median([errors[arm, rate] for errors in tuning])
        for arm in arms
        for rate in config.rates
    }
    chosen = {arm: min((tried[arm, rate], rate) for rate in config.rates)[1] for arm in arms}
    runs = [{"seed": seed, **_judged(config, seed, chosen)} for seed in config.seeds]
    correlations = [one["correlation"] for one in runs if one["correlation"] is not None]
    return Result(
        {
            "correlation": finite(median(correlations)) if correlations else None,
            **{arm: finite(median([one[arm] for one in runs])) for arm in arms},
            "chosen": chosen,
            "runs": runs,
        }
    )


def _start(config: Config, seed: int) -> NetOnData:
    return part_of(config, NetOnData, tau="learned", seed=seed, data_seed=seed)


def _endings(config: Config, seed: int) -> dict[tuple[str, float], float]:
    """Training errors of every arm at every rate; grids come from the best learned τ."""
    from bench.methods.open_questions.time_grids import GRIDS, ending, with_grid

    start = _start(config, seed)
    learned = {
        rate: ending(start, rate, config.evaluations, config.optimizer) for rate in config.rates
    }
    found = {("learned", rate): one.train_mse for rate, one in learned.items()}
    best = min(learned.values(), key=lambda one: one.train_mse).net
    for grid in GRIDS:
        moved = with_grid(start, best, config.deeper, grid)
        for rate in config.rates:
            found[grid, rate] = ending(moved, rate, config.evaluations, config.optimizer).train_mse
    return found


def _judged(config: Config, seed: int, chosen: dict[str, float]) -> dict[str, Any]:
    from bench.methods.gradient_atlas import inputs_and_targets
    from bench.methods.open_questions.time_grids import GRIDS, ending, examined, with_grid

    start = _start(config, seed)
    learned = ending(start, chosen["learned"], config.evaluations, config.optimizer)
    found = {
        "learned": finite(learned.train_mse),
        **examined(learned.net, inputs_and_targets(start)[0]),
    }
    for grid in GRIDS:
        moved = with_grid(start, learned.net, config.deeper, grid)
        end = ending(moved, chosen[grid], config.evaluations, config.optimizer)
        found |= {grid: finite(end.train_mse), f"{grid}_test": finite(end.rel_test_error)}
    return found
