"""One arm of the τ study: tuned on seeds of its own, then judged on others.

Rate, τ₀ and scale of the weights are chosen from the same number of points for every arm, at most
twelve: the point with the smallest median training error over the tuning seeds. Only then are the
judging seeds looked at, each on every data set. Tuning and judging are one cell, so that the
choice is a function of the config alone and nothing is passed from cell to cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from base.errors import UserError
from bench.cells import Result
from bench.core.plain_values import finite
from bench.core.settings import inherited, required, setting
from bench.methods.configurations import NetOnData
from bench.methods.tau_arms import ARMS, Trained, admitted
from nets import optimizers

MOST_POINTS = 12

Point = tuple[float | None, str, float]  # rate, τ₀, scale


@dataclass(frozen=True, kw_only=True)
class Config:
    arm: str = setting("learned", help=f"What happens to tau: {', '.join(ARMS)}.")
    net: str = inherited(NetOnData, "net")
    hidden: int = required(NetOnData, "hidden")
    width: int = inherited(NetOnData, "width", default=20)
    gamma: float = inherited(NetOnData, "gamma")
    init: str = inherited(NetOnData, "init")
    problem: str = inherited(NetOnData, "problem")
    samples: int = inherited(NetOnData, "samples", default=200)
    optimizer: str = setting("adam", help="An optimiser of `femnets list`.")
    rates: tuple[float, ...] = setting((), above=0, help="Candidates; none with a line search.")
    tau0s: tuple[str, ...] = setting(("1/H",), help="Candidates for tau0.")
    scales: tuple[float, ...] = setting((1.0,), above=0, help="Candidates for the weights' scale.")
    evaluations: int = setting(300, min=1, help="Evaluations of J and its gradient per training.")
    tuning_seeds: tuple[int, ...] = setting((0,), min=0, help="Seeds (and data) that choose.")
    seeds: tuple[int, ...] = setting((1000,), min=0, help="Seeds of the weights that judge.")
    data_seeds: tuple[int, ...] = setting((1000,), min=0, help="Their data, crossed with them.")

    def __post_init__(self) -> None:
        if not admitted(self.arm, self.net):
            raise UserError(f"arm {self.arm!r} is not defined for net {self.net!r}")
        if not 1 <= len(self.points) <= MOST_POINTS:
            raise UserError(
                f"1 to {MOST_POINTS} tuning points per arm, got {len(self.points)}: rates × tau0s "
                "× scales"
            )
        if set(self.tuning_seeds) & {*self.seeds, *self.data_seeds}:
            raise UserError(
                "tuning_seeds must not judge: choose them below 1000 and seeds from there on"
            )

    @property
    def points(self) -> list[Point]:
        rates: Sequence[float | None] = self.rates or (None,)
        return list(product(rates, self.tau0s, self.scales))


ALONE = False
TIMED = ()
competitor = None  # it compares policies for τ on few samples


def needs_bytes(config: Config) -> int:
    parameters = config.width**2 * config.hidden
    return 500 * 2**20 + optimizers.state_bytes(config.optimizer, parameters, {})


def run(config: Config) -> Result:
    from bench.measure.medians import median

    tried = []
    for point in config.points:
        found = [_trained(config, point, seed, seed) for seed in config.tuning_seeds]
        tried.append(median([one.train_mse for one in found]))
    best = min(range(len(tried)), key=tried.__getitem__)  # the first of equals
    chosen = config.points[best]
    runs = [
        {"seed": seed, "data_seed": data, **_trained(config, chosen, seed, data).document()}
        for seed in config.seeds
        for data in config.data_seeds
    ]
    errors = [one["train_mse"] for one in runs]
    return Result(
        {
            "train_mse": finite(median(errors)),
            "rel_test_error": finite(median([one["rel_test_error"] for one in runs])),
            "chosen": _named(chosen),
            "at_the_edge": _at_the_edge(config, chosen),
            "tried": [
                {**_named(point), "train_mse": finite(error)}
                for point, error in zip(config.points, tried, strict=True)
            ],
            "runs": runs,
            "lost": sum(error is None for error in errors),
        }
    )


def _trained(config: Config, point: Point, seed: int, data_seed: int) -> Trained:
    from bench.methods.tau_arms import trained

    rate, tau0, scale = point
    shared = {name: getattr(config, name) for name in ("net", "hidden", "width", "gamma", "init")}
    start = NetOnData(
        **shared,
        problem=config.problem,
        samples=config.samples,
        tau0=tau0,
        scale=scale,
        seed=seed,
        data_seed=data_seed,
    )
    return trained(config.arm, start, config.optimizer, rate, config.evaluations)


def _named(point: Point) -> dict[str, Any]:
    return dict(zip(("rate", "tau0", "scale"), point, strict=True))


def _at_the_edge(config: Config, point: Point) -> list[str]:
    """Which of the choices lie at an end of their candidates: a wider search might do better."""
    choices = {"rate": config.rates, "tau0": config.tau0s, "scale": config.scales}
    named = _named(point)
    return [
        name
        for name, candidates in choices.items()
        if len(candidates) > 2 and named[name] in (candidates[0], candidates[-1])
    ]
