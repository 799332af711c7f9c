"""The cheapest method that reaches a required error. Data in, decisions out.

Only methods under equal `Conditions` are compared: given the same, on the same problem, on as many
threads. The cost is the time until the error is reached and the time of `POINTS` evaluations, so
that a method which leaves its work to the evaluation pays for it there.

Time to an error is read off the recorded curve. The search for settings is reported apart, because
some settings were found elsewhere at a cost that is not counted. A larger budget therefore costs
nothing here; one that was too small is named with the miss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.methods.competitor import NETS
from bench.store.results import median

REQUIRED = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
POINTS = 10_000


@dataclass(frozen=True, order=True)
class Conditions:
    """What must agree before two methods are compared."""

    problem: str
    information: str
    samples: int | None
    inputs: str
    threads: int


@dataclass(frozen=True)
class Trial:
    """One seed: errors along the way, each with the method's own seconds until then.

    Neither the search for settings nor measuring errors is in the seconds. A method without a
    curve has its end only; a diverged one ends at an infinite error.
    """

    seconds: tuple[float, ...]
    errors: tuple[float, ...]
    per_point: float | None = None

    def seconds_to(self, required: float) -> float:
        """When the error is first no larger than this; infinite if it never is."""
        curve = zip(self.seconds, self.errors, strict=True)
        return next((t for t, error in curve if error <= required), math.inf)

    @property
    def best(self) -> float:
        return min(self.errors, default=math.inf)

    @property
    def falling(self) -> bool:
        """Whether the second half of the time still gained a fifth."""
        half = self.seconds[-1] / 2
        before = [e for t, e in zip(self.seconds, self.errors, strict=True) if t <= half]
        return bool(before) and self.best < 0.8 * min(before)


@dataclass(frozen=True)
class Method:
    """A method under its conditions, with one trial per seed."""

    name: str
    series: str  # sizes of one method are one series
    family: str
    conditions: Conditions
    trials: tuple[Trial, ...]
    search: str | float = "none"  # for its settings: seconds, `none` or `not counted`
    budget: str = ""
    keys: tuple[str, ...] = ()  # of its results

    @property
    def is_net(self) -> bool:
        return self.family in NETS

    def reached(self, required: float) -> int:
        """In how many seeds the error is reached."""
        return sum(math.isfinite(trial.seconds_to(required)) for trial in self.trials)

    def seconds_to(self, required: float) -> float:
        """Until the error is reached, median over seeds."""
        return median(trial.seconds_to(required) for trial in self.trials)

    @property
    def smallest(self) -> float:
        """The smallest error on the way, median over seeds."""
        return median(trial.best for trial in self.trials)

    @property
    def per_point(self) -> float | None:
        known = [trial.per_point for trial in self.trials if trial.per_point is not None]
        return median(known) if known else None


@dataclass(frozen=True)
class Success:
    """A method that reaches the error in most seeds."""

    method: Method
    seconds: float  # to the error
    cost: float  # seconds until so many values of that error are there


@dataclass(frozen=True)
class Decision:
    """Which method is cheapest; where none reaches the error, which is nearest and why."""

    winner: Success | None
    runner_up: Success | None  # the cheapest of another series
    net: Success | None  # the cheapest net
    nets: int  # how many were entered
    nearest: Method
    reason: str = ""

    @property
    def factor(self) -> float | None:
        """How much cheaper the winner is than the runner-up."""
        return self.runner_up.cost / self.winner.cost if self.winner and self.runner_up else None


def decision(field: Sequence[Method], required: float, points: int = POINTS) -> Decision:
    """Among methods under equal conditions; others are refused. To reach an error is to reach it in
    more than half of the seeds; a method whose evaluation was not timed cannot win."""
    conditions = {method.conditions for method in field}
    if len(conditions) != 1:
        raise ValueError(f"methods under different conditions do not compare: {conditions}")
    found = []
    for method in field:
        seconds, per_point = method.seconds_to(required), method.per_point
        if 2 * method.reached(required) > len(method.trials) and per_point is not None:
            found.append(Success(method, seconds, seconds + points * per_point))
    found.sort(key=lambda success: success.cost)
    nearest = min(field, key=lambda method: method.smallest)
    return Decision(
        winner=found[0] if found else None,
        runner_up=next((s for s in found if s.method.series != found[0].method.series), None),
        net=next((s for s in found if s.method.is_net), None),
        nets=sum(method.is_net for method in field),
        nearest=nearest,
        reason="" if found else _reason(nearest, required),
    )


def _reason(nearest: Method, required: float) -> str:
    """Why the method with the smallest error is not nearer."""
    reached, seeds = nearest.reached(required), len(nearest.trials)
    if not math.isfinite(nearest.smallest):
        diverged = sum(not math.isfinite(trial.best) for trial in nearest.trials)
        return f"diverged in {diverged} of {seeds} seeds"
    if 2 * reached > seeds:
        return "its seconds per point were not measured"
    if reached:
        return f"it reaches the error in {reached} of {seeds} seeds only"
    if 2 * sum(trial.falling for trial in nearest.trials) > seeds:
        ended = f"its budget ({nearest.budget})" if nearest.budget else "its training"
        return f"its error was still falling when {ended} ended"
    if nearest.family == "finite element":
        return "no finer one was computed"
    return "it ends above the required error"
