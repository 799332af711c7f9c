"""Who wins, for whom: the cheapest method that reaches a required error. Data in, decisions out.

One question per table, by what a method was told: samples, the equation, the field itself. Within
a question only methods under equal `Conditions` meet. An answer is a method made ready and
evaluated at `POINTS` points, so that one which leaves its work to the query pays for it there.

Time to an error is read off the recorded curve; what a method spent before it (a search among
settings) stands apart, because some settings were found elsewhere at a cost nobody counted. A
larger budget therefore costs nothing here, and one that was too small is named with the miss.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.store.results import median

REQUIRED = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
POINTS = 10_000

QUESTIONS = {
    "samples": "samples of the field",
    "equation": "the equation and the boundary data",
    "field": "the field itself",
}


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
class Entrant:
    """A method under its conditions, with one trial per seed."""

    name: str
    series: str  # sizes of one method are one series
    is_net: bool
    is_element: bool
    conditions: Conditions
    trials: tuple[Trial, ...]
    seconds_tuning: tuple[float, ...] | None = None  # per seed; None: not counted
    searched_elsewhere: bool = False
    budget: str = ""

    def reached(self, required: float) -> int:
        """In how many seeds the error is reached."""
        return sum(math.isfinite(trial.seconds_to(required)) for trial in self.trials)

    @property
    def error(self) -> float:
        """The smallest on the way, median over seeds."""
        return median(trial.best for trial in self.trials)

    @property
    def per_point(self) -> float | None:
        known = [trial.per_point for trial in self.trials if trial.per_point is not None]
        return median(known) if known else None


@dataclass(frozen=True)
class Place:
    """An entrant that reaches the error in most seeds, with its medians."""

    entrant: Entrant
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
        return len(self.entrant.trials)


@dataclass(frozen=True)
class Miss:
    """Nobody reaches the error: who comes nearest, how near, and why not nearer."""

    entrant: Entrant
    error: float
    reason: str


@dataclass(frozen=True)
class Decision:
    conditions: Conditions
    required: float
    winner: Place | None
    runner_up: Place | None  # the cheapest of another series
    net: Place | None  # the cheapest net
    nets: int  # how many were entered
    miss: Miss | None  # where there is no winner

    @property
    def factor(self) -> float | None:
        """How much cheaper the winner is than the runner-up."""
        return self.runner_up.cost / self.winner.cost if self.winner and self.runner_up else None


def decide(entrants: Iterable[Entrant], required: Sequence[float] = REQUIRED) -> list[Decision]:
    """Decisions for every set of conditions that occurs, error by error."""
    groups: dict[Conditions, list[Entrant]] = {}
    for entrant in entrants:
        groups.setdefault(entrant.conditions, []).append(entrant)
    return [
        decision(groups[key], error) for key in sorted(groups, key=_order) for error in required
    ]


def _order(conditions: Conditions) -> tuple[object, ...]:
    samples = -(conditions.samples or 0)
    return (
        conditions.problem,
        conditions.information,
        samples,
        conditions.inputs,
        conditions.threads,
    )


def alike(a: Decision, b: Decision) -> bool:
    """Whether two required errors have the same answer in every respect."""
    return (a.conditions, _answer(a)) == (b.conditions, _answer(b))


def _answer(decision: Decision) -> tuple[object, ...]:
    if decision.miss is not None:
        return (decision.miss.entrant.name, decision.miss.reason)
    places = (decision.winner, decision.runner_up, decision.net)
    return tuple((p.entrant.name, p.cost, p.reached) if p else None for p in places)


def decision(field: Sequence[Entrant], required: float, points: int = POINTS) -> Decision:
    """Among methods under equal conditions; others are refused."""
    conditions = {entrant.conditions for entrant in field}
    if len(conditions) != 1:
        raise ValueError(f"methods under different conditions do not compare: {conditions}")
    places = sorted(placed(field, required, points), key=lambda place: place.cost)
    winner = places[0] if places else None
    others = [p for p in places if winner and p.entrant.series != winner.entrant.series]
    return Decision(
        field[0].conditions,
        required,
        winner,
        others[0] if others else None,
        next((place for place in places if place.entrant.is_net), None),
        sum(entrant.is_net for entrant in field),
        None if winner else _miss(field, required),
    )


def placed(field: Iterable[Entrant], required: float, points: int = POINTS) -> list[Place]:
    """Those that reach the error in more than half of their seeds, and whose queries were timed."""
    return [
        place(entrant, required, entrant.per_point, points)
        for entrant in field
        if 2 * entrant.reached(required) > len(entrant.trials) and entrant.per_point is not None
    ]


def place(entrant: Entrant, required: float, per_point: float, points: int = POINTS) -> Place:
    tuning = entrant.seconds_tuning
    return Place(
        entrant,
        entrant.error,
        median(trial.seconds_to(required) for trial in entrant.trials),
        median(tuning) if tuning else None if entrant.searched_elsewhere else 0.0,
        per_point,
        entrant.reached(required),
        points,
    )


def _miss(field: Sequence[Entrant], required: float) -> Miss:
    """The entrant with the smallest error."""
    nearest = min(field, key=lambda entrant: entrant.error)
    reached, seeds = nearest.reached(required), len(nearest.trials)
    diverged = sum(not math.isfinite(trial.best) for trial in nearest.trials)
    falling = sum(trial.falling for trial in nearest.trials)
    if not math.isfinite(nearest.error):
        reason = f"diverged in {diverged} of {seeds} seeds"
    elif 2 * reached > seeds:
        reason = "its seconds per point were not measured"
    elif reached:
        reason = f"it gets there in {reached} of {seeds} seeds only"
    elif 2 * falling > seeds:
        ended = f"its budget ({nearest.budget})" if nearest.budget else "its training"
        reason = f"its error was still falling when {ended} ended"
    elif nearest.is_element:
        reason = "no finer one was computed"
    else:
        reason = "that is where it ends"
    return Miss(nearest, nearest.error, reason)
