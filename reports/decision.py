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
from collections.abc import Iterable, Sequence
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
        reached = (
            t for t, error in zip(self.seconds, self.errors, strict=True) if error <= required
        )
        return next(reached, math.inf)

    @property
    def best(self) -> float:
        return min(self.errors, default=math.inf)

    @property
    def falling(self) -> bool:
        """Whether the second half of the time still gained a fifth."""
        if len(self.errors) < 2:
            return False
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
    seconds_tuning: tuple[float, ...] | None = None  # per seed; None: not counted
    searched_elsewhere: bool = False
    budget: str = ""
    keys: tuple[str, ...] = ()  # of its results

    @property
    def is_net(self) -> bool:
        return self.family in NETS

    def reached(self, required: float) -> int:
        """In how many seeds the error is reached."""
        return sum(math.isfinite(trial.seconds_to(required)) for trial in self.trials)

    @property
    def error(self) -> float:
        """The smallest on the way, median over seeds."""
        return median(trial.best for trial in self.trials)

    @property
    def seconds(self) -> float:
        """To its end, without the search; median over seeds."""
        return median(trial.seconds[-1] for trial in self.trials)

    @property
    def per_point(self) -> float | None:
        known = [trial.per_point for trial in self.trials if trial.per_point is not None]
        return median(known) if known else None


@dataclass(frozen=True)
class Success:
    """A method that reaches the error in most seeds, with its medians."""

    method: Method
    error: float
    seconds: float  # to the error
    seconds_tuning: float | None  # None: its settings were found elsewhere, uncounted
    per_point: float
    reached: int
    points: int = POINTS

    @property
    def cost(self) -> float:
        """Seconds until so many values of that error are there."""
        return self.seconds + self.points * self.per_point

    @property
    def search(self) -> str | float:
        """The search for its settings as a table shows it."""
        return "not counted" if self.seconds_tuning is None else self.seconds_tuning or "none"

    @property
    def seeds(self) -> int:
        return len(self.method.trials)


@dataclass(frozen=True)
class Miss:
    """No method reaches the error: which one comes nearest, how near, and why not nearer."""

    method: Method
    error: float
    reason: str


@dataclass(frozen=True)
class Decision:
    conditions: Conditions
    required: float
    winner: Success | None
    runner_up: Success | None  # the cheapest of another series
    net: Success | None  # the cheapest net
    nets: int  # how many were entered
    miss: Miss | None  # if no method reaches the error

    @property
    def factor(self) -> float | None:
        """How much cheaper the winner is than the runner-up."""
        return self.runner_up.cost / self.winner.cost if self.winner and self.runner_up else None


def decision(field: Sequence[Method], required: float, points: int = POINTS) -> Decision:
    """Among methods under equal conditions; others are refused."""
    conditions = {method.conditions for method in field}
    if len(conditions) != 1:
        raise ValueError(f"methods under different conditions do not compare: {conditions}")
    places = sorted(successes(field, required, points), key=lambda place: place.cost)
    winner = places[0] if places else None
    others = [p for p in places if winner and p.method.series != winner.method.series]
    return Decision(
        field[0].conditions,
        required,
        winner,
        others[0] if others else None,
        next((place for place in places if place.method.is_net), None),
        sum(method.is_net for method in field),
        None if winner else _miss(field, required),
    )


def successes(field: Iterable[Method], required: float, points: int = POINTS) -> list[Success]:
    """Those that reach the error in more than half of their seeds, and whose queries were timed."""
    return [
        Success(
            method,
            method.error,
            median(trial.seconds_to(required) for trial in method.trials),
            median(method.seconds_tuning)
            if method.seconds_tuning
            else None
            if method.searched_elsewhere
            else 0.0,
            method.per_point,
            method.reached(required),
            points,
        )
        for method in field
        if 2 * method.reached(required) > len(method.trials) and method.per_point is not None
    ]


def _miss(field: Sequence[Method], required: float) -> Miss:
    """The method with the smallest error."""
    nearest = min(field, key=lambda method: method.error)
    reached, seeds = nearest.reached(required), len(nearest.trials)
    diverged = sum(not math.isfinite(trial.best) for trial in nearest.trials)
    falling = sum(trial.falling for trial in nearest.trials)
    if not math.isfinite(nearest.error):
        reason = f"diverged in {diverged} of {seeds} seeds"
    elif 2 * reached > seeds:
        reason = "its seconds per point were not measured"
    elif reached:
        reason = f"it reaches the error in {reached} of {seeds} seeds only"
    elif 2 * falling > seeds:
        ended = f"its budget ({nearest.budget})" if nearest.budget else "its training"
        reason = f"its error was still falling when {ended} ended"
    elif nearest.family == "finite element":
        reason = "no finer one was computed"
    else:
        reason = "it ends above the required error"
    return Miss(nearest, nearest.error, reason)
