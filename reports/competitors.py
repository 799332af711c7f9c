"""Every method on every problem: what it is given, what it costs, which error it reaches.

A competitor is one variant of a method on one problem; runs that differ by their seed only are one
competitor with a spread. What it is called and what it is given, its kind of cell declares. Methods
that are given different things are never mixed in a table without a label (maths 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bench import problems
from bench.core.information import INFORMATION, Information
from bench.methods.competitor import NETS
from bench.methods.competitor import Competitor as Declared
from bench.store.results import Results, StoredResult, median
from bench.store.results import competitor as declared
from reports.decision import Conditions, Method, Trial
from reports.formatting import count

INPUTS = {"x": "at x", "x,phi": "at x, with φ", "x,f,phi": "at x, with f and φ"}


@dataclass(frozen=True)
class Competitor:
    """Results of one method on one problem that differ by their seed."""

    declared: Declared  # of its first result
    problem: str
    unknowns: int
    records: tuple[StoredResult, ...]

    def median(self, value: str) -> float | None:
        """The median over seeds, a diverged run as infinite; None where that is not a number."""
        middle = Results(self.records).median(value)
        return middle if middle is not None and math.isfinite(middle) else None

    name = property(lambda self: self.declared.title)
    information = property(lambda self: self.declared.information)
    features = property(lambda self: self.declared.inputs)
    error = property(lambda self: self.median("l2_error"))
    # its search among settings included, where that was counted
    seconds = property(lambda self: self.median("seconds"))

    @cached_property
    def end_error(self) -> float:
        """The median error at the end: where the samples lie if samples are given, else on the
        whole domain; infinite where it is not known."""
        inside = self.information == "samples" and "l2_error_inside" in self.records[0].values
        found = self.median("l2_error_inside" if inside else "l2_error")
        return math.inf if found is None else found

    @property
    def track(self) -> Information:
        """What it is given, with the words for it."""
        return INFORMATION[self.information]

    @property
    def look(self) -> str:
        """The key of its look in figures: family, member and, where it is one, the variant."""
        return f"{self.declared.family}/{self.declared.look}"

    @property
    def is_net(self) -> bool:
        return self.declared.family in NETS

    @property
    def seconds_tuning(self) -> float | None:
        """Of the search alone; None where settings were found elsewhere, at a cost not counted."""
        if self.declared.search == "elsewhere":
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
        shown = self.declared
        # With samples come inputs at their points; with the equation nothing else is given.
        inputs = shown.inputs if shown.information == "samples" else shown.given
        return Conditions(self.problem, shown.information, shown.samples, inputs, threads)

    @property
    def seeds(self) -> int:
        return len(self.records)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(record.key for record in self.records)

    @cached_property
    def method(self) -> Method:
        """The competitor as decisions see it.

        A method that is given samples is judged where they lie, any other on the whole domain.
        """
        shown, records = self.declared, self.records
        counted = shown.search == "counted"
        return Method(
            self.name,
            shown.series,
            shown.family,
            self.conditions,
            tuple(_trial(record, shown.information == "samples") for record in records),
            tuple(_tuning(record) for record in records) if counted else None,
            shown.search == "elsewhere",
            _budget(records[0]),
            self.keys,
        )


def contested(results: Iterable[StoredResult]) -> list[str]:
    """The problems on which something competes."""
    return sorted({str(r.config["problem"]) for r in results if declared(r) is not None})


def competitors(results: Results, problem: str) -> list[Competitor]:
    """All competitors on a problem, in the order of what they are given and of their names."""
    groups: dict[tuple[str, ...], list[tuple[StoredResult, Declared]]] = {}
    for record in results:
        if record.config.get("problem") == problem and (shown := declared(record)):
            key = (shown.information, shown.title, shown.look, shown.inputs, str(shown.samples))
            groups.setdefault(key, []).append((record, shown))
    found = [_competitor(problem, group) for group in groups.values()]
    return sorted(found, key=lambda c: (c.information, c.name, c.unknowns))


def by_problem(results: Results) -> dict[str, list[Competitor]]:
    """The competitors of every problem, in the order in which problems are listed."""
    known = problems.names()
    names = contested(results)
    names.sort(key=lambda name: (known.index(name) if name in known else len(known), name))
    return {name: competitors(results, name) for name in names}


def same_conditions(field: Iterable[Competitor], information: str) -> list[Competitor]:
    """Those under one set of conditions: the set in which a net that meets something else is best,
    else the one that most methods share."""
    groups: dict[Conditions, list[Competitor]] = {}
    for competitor in field:
        if competitor.information == information:
            groups.setdefault(competitor.conditions, []).append(competitor)
    return max(groups.values(), key=_fullness, default=[])


def _fullness(field: list[Competitor]) -> tuple[bool, float, int]:
    """Nets that meet something else, then the best net, then many methods."""
    met = len({c.is_net for c in field}) == 2
    best = min((c.end_error for c in field if c.is_net), default=math.inf)
    return met, -best if met else 0.0, len(field)


def given_in_words(conditions: Conditions) -> str:
    """`1 000 samples at x, with f and φ`, `the equation`"""
    if conditions.samples is None:
        return INFORMATION[conditions.information].short
    where = INPUTS.get(conditions.inputs, f"with {conditions.inputs}")
    return f"{count(conditions.samples)} samples {where}"


def _competitor(problem: str, group: list[tuple[StoredResult, Declared]]) -> Competitor:
    """Unknowns are a median: a tuned net's size differs from seed to seed."""
    unknowns = int(median(shown.unknowns for _, shown in group))
    return Competitor(group[0][1], problem, unknowns, tuple(record for record, _ in group))


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
