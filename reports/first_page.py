"""What the first page says: the cheapest methods by what they are given, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from bench import problems
from bench.claims import Compared, Entry
from bench.core.information import INFORMATION
from reports.competitors import Competitor, competitors, contested
from reports.context import Run
from reports.decision import POINTS, Conditions, Decision, Method, decide
from reports.document import Column, Table, Value
from reports.formatting import count, scientific, show, two_digits

SHOWN_ERRORS = (1e-2, 1e-4, 1e-6, 1e-8)
RACES = tuple(name for name in INFORMATION if name != "field")  # given the field: oracles
INPUTS = {"x": "at x", "x,phi": "at x, with φ", "x,f,phi": "at x, with f and φ"}


@dataclass(frozen=True)
class Duel:
    """The best net and the best other method of one problem under equal conditions."""

    conditions: Conditions
    net: Method
    rival: Method

    @property
    def factor(self) -> float:
        """How many times the net's error is the rival's; below 1 the net is ahead."""
        if self.rival.error > 0:
            return self.net.error / self.rival.error
        return inf if self.net.error > 0 else 1.0


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

    def decisions(self, problem: str, track: str) -> list[Decision]:
        field = self.fullest(problem, track)
        return decide([c.method for c in field], SHOWN_ERRORS) if field else []

    def shown(self, track: str) -> list[str]:
        """Problems on which nets meet another method; where they meet nowhere, all problems on
        which any method competes."""
        entered = {p: self.fullest(p, track) for p in self.by_problem}
        met = [p for p, field in entered.items() if len({c.is_net for c in field}) == 2]
        return met or [p for p, field in entered.items() if field]

    def duels(self, track: str) -> list[Duel]:
        """By problem; only where a net and another method are given the same."""
        found = []
        for problem in self.by_problem:
            field = [c.method for c in self.fullest(problem, track)]
            nets = [e for e in field if e.is_net and e.error < inf]
            rivals = [e for e in field if not e.is_net and e.error < inf]
            if nets and rivals:
                best, other = (min(side, key=lambda e: e.error) for side in (nets, rivals))
                found.append(Duel(best.conditions, best, other))
        return found


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


def matrix(fields: Fields) -> Table | None:
    """Problems by required errors: the cheapest method and its time."""
    rows: list[tuple[Value, ...]] = []
    tints: dict[tuple[int, int], str] = {}
    decided: list[Decision] = []
    for track in RACES:
        for problem in fields.shown(track):
            found = fields.decisions(problem, track)
            for k, decision in enumerate(found):
                if decision.winner is not None:
                    tints[len(rows), k + 2] = decision.winner.method.family
            kind = kind_of(fields.by_problem[problem])
            name = f"{problem} ({kind})" if kind else problem
            rows.append((given_in_words(found[0].conditions), name, *map(_cheapest, found)))
            decided += found
    if not rows:
        return None
    columns = [Column("given"), Column("field")]
    columns += [Column(scientific(error, 0).removeprefix("1·")) for error in SHOWN_ERRORS]
    nets = [d.winner.method.is_net for d in decided if d.winner is not None]
    caption = (
        f"Cheapest method per required L² error: time to reach it and evaluate {POINTS:,} points, "
        "on one thread, without the search for settings. Some method reaches the error in "
        f"{len(nets)} of {len(decided)} cases, and a net is the cheapest in {sum(nets)} of them; "
        "elsewhere the nearest method and its error stand in brackets. Given samples, errors are "
        "measured where the samples lie."
    )
    return Table("winners", caption, columns, rows, tints=tints)


def _cheapest(decision: Decision) -> str:
    if decision.winner is not None:
        method = decision.winner.method
        name = "net" if method.is_net else method.series
        return f"{name} {show(decision.winner.cost, 'seconds')}"
    assert decision.miss is not None
    nearest = decision.miss.error
    family = decision.miss.method.family
    return f"none ({family} {scientific(nearest, 0)})" if nearest < inf else "none"


def with_time(method: Method) -> str:
    """`legendre 9.5·10⁻¹³ after 120 ms`, by its median over seeds."""
    ends = sorted(trial.seconds[-1] for trial in method.trials)
    name = "the best net" if method.is_net else method.series
    return (
        f"{name} {scientific(method.error, 1)} after {show(ends[(len(ends) - 1) // 2], 'seconds')}"
    )


def times(factor: float) -> str:
    """A factor in words of two digits."""
    return two_digits(factor) if factor < 1e4 else scientific(factor, 0)


def compared(entries: Sequence[Entry]) -> list[tuple[Entry, Compared]]:
    """Entries whose finding is a ratio of paired runs."""
    return [(e, e.finding) for e in entries if isinstance(e.finding, Compared)]
