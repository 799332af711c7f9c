"""Every method under one heading: what it was told, what it cost, how far it came.

A contender is one variant of a method on one problem; runs that differ by seed only are one
contender with a spread. What it is called, which track it plays in and what it was told, its kind
of cell declares. Tracks are never mixed in a table without their label (maths 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bench.core.information import INFORMATION
from bench.store.results import Competitor, Results, StoredResult, competitor, median
from reports.decision import Conditions, Entrant, Trial

TOLD = {name: row.given for name, row in INFORMATION.items()}


@dataclass(frozen=True)
class Contender:
    competitor: Competitor  # of its first result
    problem: str
    unknowns: int
    records: tuple[StoredResult, ...]

    def median(self, value: str) -> float | None:
        """The median over seeds, a diverged run as infinite; None where that is no number."""
        middle = Results(self.records).median(value)
        return middle if middle is not None and math.isfinite(middle) else None

    name = property(lambda self: self.competitor.title)
    information = property(lambda self: self.competitor.information)
    features = property(lambda self: self.competitor.inputs)
    error = property(lambda self: self.median("l2_error"))
    # its search among settings included, where that was counted
    seconds = property(lambda self: self.median("seconds"))

    @property
    def look(self) -> str:
        """The key of its look in figures: family, member and, where it is one, the variant."""
        return f"{self.competitor.family}/{self.competitor.look}"

    @property
    def is_net(self) -> bool:
        return self.competitor.family == "net"

    @property
    def seconds_tuning(self) -> float | None:
        """Of the search alone; None where settings were found elsewhere, at a cost not counted."""
        if self.competitor.search == "elsewhere":
            return None
        return median(_tuning(record) for record in self.records)

    @property
    def tuning(self) -> str | float:
        """The same for a table."""
        found = self.seconds_tuning
        return "not counted" if found is None else found or "none"

    @property
    def seconds_alone(self) -> float | None:
        """Without the search: the clock that all methods share."""
        alone = median(_own_seconds(record) for record in self.records)
        return alone if math.isfinite(alone) else None

    @property
    def conditions(self) -> Conditions:
        """What another method must have in common with it to be compared."""
        threads = int(self.records[0].config.get("threads") or 1)
        shown = self.competitor
        # With samples come inputs at their points; who is told the equation is told nothing else.
        told = shown.inputs if shown.information == "samples" else shown.given
        return Conditions(self.problem, shown.information, shown.samples, told, threads)

    @property
    def seeds(self) -> int:
        return len(self.records)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(record.key for record in self.records)


def contested(results: Iterable[StoredResult]) -> list[str]:
    """The problems on which something competes."""
    return sorted({str(r.config["problem"]) for r in results if competitor(r) is not None})


def contenders(results: Results, problem: str) -> list[Contender]:
    """All contenders on a problem, in the order of tracks and names."""
    groups: dict[tuple[str, ...], list[tuple[StoredResult, Competitor]]] = {}
    for record in results:
        if record.config.get("problem") == problem and (shown := competitor(record)):
            key = (shown.information, shown.title, shown.look, shown.inputs, str(shown.samples))
            groups.setdefault(key, []).append((record, shown))
    found = [_contender(problem, group) for group in groups.values()]
    return sorted(found, key=lambda c: (c.information, c.name, c.unknowns))


def _contender(problem: str, group: list[tuple[StoredResult, Competitor]]) -> Contender:
    """Unknowns are a median: a tuned net's size differs from seed to seed."""
    unknowns = int(median(shown.unknowns for _, shown in group))
    return Contender(group[0][1], problem, unknowns, tuple(record for record, _ in group))


def entrant(contender: Contender, *, everywhere: bool = False) -> Entrant:
    """The contender as decisions see it.

    What was told samples is judged where they lie, unless `everywhere`, on the whole domain, is
    asked for; the rest always is. On a domain that is its own training part the two are one.
    """
    shown, records = contender.competitor, contender.records
    inside = shown.information == "samples" and not everywhere
    counted = shown.search == "counted"
    return Entrant(
        contender.name,
        shown.series,
        contender.is_net,
        shown.family == "finite element",
        contender.conditions,
        tuple(_trial(record, inside) for record in records),
        tuple(_tuning(record) for record in records) if counted else None,
        shown.search == "elsewhere",
        _budget(records[0]),
    )


def _trial(record: StoredResult, inside: bool) -> Trial:
    """The recorded curve, if that error was recorded along it, and the end."""
    there = "l2_error_inside" if inside and "l2_error_inside" in record.values else "l2_error"
    end = record.values.get(there)
    seconds, errors = [_own_seconds(record)], [math.inf if end is None else float(end)]
    if f"curve_{there}" in record.arrays:
        curve = np.nan_to_num(np.asarray(record.arrays[f"curve_{there}"]), nan=math.inf)
        seconds = [*map(float, record.arrays["curve_seconds"]), *seconds]
        errors = [*map(float, curve), *errors]
    return Trial(tuple(seconds), tuple(errors), record.values.get("seconds_per_point"))


def _tuning(record: StoredResult) -> float:
    return float(record.values.get("seconds_tuning") or 0.0)


def _own_seconds(record: StoredResult) -> float:
    seconds = record.values.get("seconds")
    return math.inf if seconds is None else float(seconds) - _tuning(record)


def _budget(record: StoredResult) -> str:
    """`8000 evaluations`, `1000 steps`: what ended a training."""
    limits = ((name, record.config.get(name)) for name in ("evaluations", "steps"))
    return ", ".join(f"{value:g} {name}" for name, value in limits if value)
