"""After how many points, or whole solves, a net's training is paid back. Data in, counts out.

A net costs T to train (its search included where it was counted) and p a point; a finite element of
equal error t to compute and q a point. The net is ahead after N points if T + N p ≤ t + N q. Or the
element is computed again every time, as for a field that changes, and evaluated at `POINTS` points
each: the net is ahead after S solves if T + S POINTS p ≤ S (t + POINTS q). Every seed of the net
gives a count; "never" is infinite and takes part in the median and in its interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.claims.effects import interval_over_seeds
from bench.store.results import median
from reports.decision import POINTS, REQUIRED, Method, Success, successes


@dataclass(frozen=True)
class Count:
    """A median over seeds with its interval, or with the range of few seeds; infinite: never."""

    middle: float
    low: float
    high: float
    seeds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Count:
        return cls(median(values), *interval_over_seeds(values), len(values))


@dataclass(frozen=True)
class BreakEven:
    """A net against the cheapest mesh of one element that reaches the same required error."""

    required: float
    net: Success
    element: Success
    points: Count
    solves: Count
    lead_ends: float  # points up to which a net that is ahead at once stays ahead; inf: for good


def break_even(
    nets: Iterable[Method], elements: Iterable[Method], required: Sequence[float] = REQUIRED
) -> list[BreakEven]:
    """For each error the net that is soonest, search included, against each series of elements.

    Only meshes that were computed take part: nothing is extrapolated. Methods
    under different conditions are refused.
    """
    nets, elements, found = list(nets), list(elements), []
    conditions = {method.conditions for method in (*nets, *elements)}
    if len(conditions) > 1:
        raise ValueError(f"methods under different conditions do not compare: {conditions}")
    for error in required:
        able = successes(nets, error)
        if not able:
            continue
        net = min(able, key=lambda place: place.seconds + (place.seconds_tuning or 0.0))
        cheapest: dict[tuple[str, str], Success] = {}
        for place in sorted(successes(elements, error), key=lambda place: place.cost):
            key = (place.method.conditions.information, place.method.series)
            cheapest.setdefault(key, place)
        found += [_against(error, net, element) for element in cheapest.values()]
    return found


def _against(required: float, net: Success, element: Success) -> BreakEven:
    t, q = element.seconds, element.per_point
    trainings = _trainings(net.method, required)
    ends = [lead_ends(T, p, t, q) for T, p in trainings]
    return BreakEven(
        required,
        net,
        element,
        Count.of([points_to_pay(T, p, t, q) for T, p in trainings]),
        Count.of([solves_to_pay(T, p, t, q) for T, p in trainings]),
        median(ends),
    )


def _trainings(net: Method, required: float) -> list[tuple[float, float]]:
    """Seconds until trained, and per point, seed by seed."""
    tuning = net.seconds_tuning or (0.0,) * len(net.trials)
    middle = net.per_point or 0.0
    return [
        (
            before + trial.seconds_to(required),
            middle if trial.per_point is None else trial.per_point,
        )
        for before, trial in zip(tuning, net.trials, strict=True)
    ]


def points_to_pay(T: float, p: float, t: float, q: float) -> float:
    """The smallest N with T + N p ≤ t + N q; 0: at once, inf: never."""
    if t >= T:
        return 0.0
    return math.ceil((T - t) / (q - p)) if q > p and math.isfinite(T) else math.inf


def lead_ends(T: float, p: float, t: float, q: float) -> float:
    """The largest N up to which a net that is ahead at once stays ahead."""
    return (t - T) / (p - q) if t >= T and p > q else math.inf


def solves_to_pay(T: float, p: float, t: float, q: float) -> float:
    """The smallest S with T + S POINTS p ≤ S (t + POINTS q); inf: never."""
    gain = t + POINTS * (q - p)
    return max(1, math.ceil(T / gain)) if gain > 0 and math.isfinite(T) else math.inf
