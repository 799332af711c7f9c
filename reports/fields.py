"""The competitors of every problem of a run, and those that are compared with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from bench import problems
from bench.core.information import INFORMATION
from reports.competitors import Competitor, competitors, contested
from reports.context import Run
from reports.decision import Conditions
from reports.formatting import count

INPUTS = {"x": "at x", "x,phi": "at x, with φ", "x,f,phi": "at x, with f and φ"}


@dataclass(frozen=True)
class Fields:
    """The competitors of every problem of a run."""

    by_problem: Mapping[str, list[Competitor]]

    @classmethod
    def of(cls, run: Run) -> Fields:
        """Smooth problems first, each kind in the order in which problems are listed."""
        known = problems.names()
        names = contested(run.results)
        names.sort(key=lambda name: (known.index(name) if name in known else len(known), name))
        found = {name: competitors(run.results, name) for name in names}
        return cls(
            {n: found[n] for n in sorted(names, key=lambda n: kind_of(found[n]) != "smooth")}
        )

    @property
    def main(self) -> str | None:
        """The problem that the first figure is about: the first one."""
        return next(iter(self.by_problem), None)

    def fullest(self, problem: str, track: str) -> list[Competitor]:
        """Those under one set of conditions, and only they are compared: the set in which a net
        that meets something else is best, else the one that most methods share."""
        groups: dict[Conditions, list[Competitor]] = {}
        for competitor in self.by_problem[problem]:
            if competitor.information == track:
                groups.setdefault(competitor.conditions, []).append(competitor)
        return max(groups.values(), key=_fullness, default=[])

    def shown(self, track: str) -> list[str]:
        """Problems on which nets meet another method; where they meet nowhere, all problems on
        which any method competes."""
        entered = {p: self.fullest(p, track) for p in self.by_problem}
        met = [p for p, field in entered.items() if len({c.is_net for c in field}) == 2]
        return met or [p for p, field in entered.items() if field]


def _fullness(field: Sequence[Competitor]) -> tuple[bool, float, int]:
    """Nets that meet something else, then the best net, then many methods."""
    met = len({c.is_net for c in field}) == 2
    best = min((c.method.error for c in field if c.is_net), default=inf)
    return met, -best if met else 0.0, len(field)


def kind_of(field: Sequence[Competitor]) -> str:
    """What the cells say of their problem."""
    said = {r.values.get("smooth") for c in field for r in c.records}
    return "singular" if False in said else "smooth" if True in said else ""


def given_in_words(conditions: Conditions) -> str:
    """`1 000 samples at x, with f and φ`, `the equation`"""
    if conditions.samples is None:
        return INFORMATION[conditions.information].short
    where = INPUTS.get(conditions.inputs, f"with {conditions.inputs}")
    return f"{count(conditions.samples)} samples {where}"
