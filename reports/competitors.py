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
from bench.claims.admissibility import known_besides
from bench.core.information import INFORMATION
from bench.methods.competitor import Competitor as Declared
from bench.store.results import Results, StoredResult, median
from bench.store.results import competitor as declared
from reports.decision import Conditions, Method, Trial
from reports.formatting import count

INPUTS = {"x": "at x", "x,phi": "at x, with φ", "x,f,phi": "at x, with f and φ"}


@dataclass(frozen=True, kw_only=True)
class Competitor(Method):
    """Results of one method on one problem that differ by their seed."""

    declared: Declared  # of its first result
    unknowns: int
    records: tuple[StoredResult, ...]

    def median(self, value: str) -> float | None:
        """The median over seeds, a diverged run as infinite; None where that is not a number."""
        middle = Results(self.records).median(value)
        return middle if middle is not None and math.isfinite(middle) else None

    information = property(lambda self: self.declared.information)
    error = property(lambda self: self.median("l2_error"))
    seeds = property(lambda self: len(self.records))
    # the key of its look in figures: family, member and, where it is one, the variant
    look = property(lambda self: f"{self.family}/{self.declared.look}")

    @cached_property
    def end_error(self) -> float:
        """The median error at the end: where the samples lie if samples are given, else on the
        whole domain; infinite where it is not known."""
        found = self.median(_judged(self.records[0], self.declared))
        return math.inf if found is None else found

    @property
    def seconds_alone(self) -> float | None:
        """Without the search: the clock that all methods share."""
        alone = median(_own_seconds(record) for record in self.records)
        return alone if math.isfinite(alone) else None


def contested(results: Iterable[StoredResult]) -> list[str]:
    """The problems on which something competes."""
    return sorted({str(r.config["problem"]) for r in results if declared(r) is not None})


def competitors(results: Results, problem: str) -> list[Competitor]:
    """All competitors on a problem, in the order of what they are given and of their names."""
    groups: dict[tuple[str, ...], list[tuple[StoredResult, Declared]]] = {}
    for record in results:
        if record.config.get("problem") == problem and (shown := declared(record)):
            title = _title(record, shown)
            key = (shown.information, title, shown.look, shown.inputs, str(shown.samples))
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
    shown, records = group[0][1], tuple(record for record, _ in group)
    elsewhere = shown.search == "elsewhere"
    return Competitor(
        name=_title(records[0], shown),
        series=shown.series,
        family=shown.family,
        conditions=_conditions(problem, shown, records[0]),
        trials=tuple(_trial(record, _judged(record, shown)) for record in records),
        search="not counted" if elsewhere else median(map(_tuning, records)) or "none",
        budget=_budget(records[0]),
        keys=tuple(record.key for record in records),
        declared=shown,
        unknowns=int(median(each.unknowns for _, each in group)),
        records=records,
    )


def _title(record: StoredResult, shown: Declared) -> str:
    """With the ratio of layers, of which an hp mesh may have several."""
    ratio = record.config.get("ratio") if record.config.get("layers") else None
    return f"{shown.title}, ratio {ratio:g}" if ratio else shown.title


def _conditions(problem: str, shown: Declared, record: StoredResult) -> Conditions:
    """With samples come inputs at their points; with the equation nothing else is given."""
    known = "; also ".join([shown.inputs, *known_besides(shown)])
    inputs = known if shown.information == "samples" else shown.given
    threads = int(record.config.get("threads") or 1)
    return Conditions(problem, shown.information, shown.samples, inputs, threads)


def _judged(record: StoredResult, shown: Declared) -> str:
    """The error that counts: where the samples lie if samples are given."""
    inside = shown.information == "samples" and "l2_error_inside" in record.values
    return "l2_error_inside" if inside else "l2_error"


def _trial(record: StoredResult, name: str) -> Trial:
    """The recorded curve, if that error was recorded along it and is kept, and the end."""
    end = record.values.get(name)
    seconds, errors = [_own_seconds(record)], [math.inf if end is None else float(end)]
    if {f"curve_{name}", "curve_seconds"} <= record.arrays.keys():
        curve = np.nan_to_num(np.asarray(record.arrays[f"curve_{name}"]), nan=math.inf)
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
