"""One arm of the τ study: tuned on seeds of its own, then judged on others.

Rate, τ₀ and scale of the weights are searched in the same way for every arm, by the geometric mean
of training errors over the tuning seeds. Only then are the judging seeds looked at, each on every
data set. Tuning and judging are one cell, so that the choice is a function of the config alone and
nothing is passed on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from base.errors import UserError
from bench.cells import Result
from bench.cells._nets import Judged
from bench.core.plain_values import finite
from bench.core.settings import inherited, required, setting
from bench.methods.configurations import NetOnData, part_of
from bench.methods.tau_arms import ARMS, Point, Trained, admitted
from nets import optimizers

MOST_CANDIDATES = 16  # of one setting


@dataclass(frozen=True, kw_only=True)
class Config(Judged):
    arm: str = setting("learned", help=f"Treatment of tau: {', '.join(ARMS)}.")
    net: str = inherited(NetOnData, "net")
    hidden: int = required(NetOnData, "hidden")
    width: int = inherited(NetOnData, "width", default=20)
    gamma: float = inherited(NetOnData, "gamma")
    init: str = inherited(NetOnData, "init")
    problem: str = inherited(NetOnData, "problem")
    samples: int = inherited(NetOnData, "samples", default=200)
    optimizer: str = setting("adam", help="An optimiser of `femnets list`.")
    rates: tuple[float, ...] = setting((), above=0, help="Candidate rates; () with line search.")
    tau0s: tuple[str, ...] = setting(("1/H",), help="Candidates for tau0.")
    scales: tuple[float, ...] = setting((1.0,), above=0, help="Candidate scales of the weights.")
    evaluations: int = setting(300, min=1, help="Evaluations of J and its gradient per training.")
    data_seeds: tuple[int, ...] = setting((1000,), min=0, help="Data seeds, crossed with `seeds`.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not admitted(self.arm, self.net):
            raise UserError(f"arm {self.arm!r} is not defined for net {self.net!r}")
        for name in ("rates", "tau0s", "scales"):
            number = len(getattr(self, name))
            if number > MOST_CANDIDATES or (not number and name != "rates"):
                raise UserError(f"{name}: give 1 to {MOST_CANDIDATES} candidates, got {number}")

    @property
    def grid(self) -> dict[str, tuple[Any, ...]]:
        """The candidates of every setting."""
        return {"rate": self.rates or (None,), "tau0": self.tau0s, "scale": self.scales}


ALONE = False
TIMED = ()
competitor = None  # it compares policies for τ on few samples


def needs_bytes(config: Config) -> int:
    parameters = config.width**2 * config.hidden
    return 500 * 2**20 + optimizers.state_bytes(config.optimizer, parameters, {})


def _or_infinite(trained: Trained) -> float:
    return math.inf if trained.train_mse is None else trained.train_mse


def _listed(points: Mapping[Point, float]) -> list[dict[str, Any]]:
    return [{**point._asdict(), "train_mse": finite(error)} for point, error in points.items()]


def run(config: Config) -> Result:
    from bench.measure.medians import median
    from bench.methods.tau_arms import at_the_edge, search, trained

    def result(point: Point, seed: int, data_seed: int) -> Trained:
        start = part_of(
            config, NetOnData, tau0=point.tau0, scale=point.scale, seed=seed, data_seed=data_seed
        )
        return trained(config.arm, start, config.optimizer, point.rate, config.evaluations)

    def tuning_error(point: Point, seed: int) -> float:
        return _or_infinite(result(point, seed, seed))

    found = search(config.grid, tuning_error, config.tuning_seeds)
    chosen = found.chosen
    runs = [
        {"seed": seed, "data_seed": data, **result(chosen, seed, data).document()}
        for seed in config.seeds
        for data in config.data_seeds
    ]
    errors = [one["train_mse"] for one in runs]
    return Result(
        {
            "train_mse": finite(median(errors)),
            "rel_test_error": finite(median([one["rel_test_error"] for one in runs])),
            "chosen": chosen._asdict(),
            "at_the_edge": at_the_edge(chosen._asdict(), config.grid),
            "tried": _listed(found.explored),
            "finalists": _listed(found.finalists),
            "runs": runs,
            "lost": sum(error is None for error in errors),
        }
    )
