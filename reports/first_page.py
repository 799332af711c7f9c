"""What the first page says, computed: who wins by what is told, by how much, and how near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from bench.claims import Compared, Entry
from bench.claims.arms import MAIN
from reports.contenders import Contender, contenders, contested, entrant
from reports.context import Run
from reports.decision import POINTS, Conditions, Decision, Entrant, decide
from reports.document import Column, Table, Value
from reports.formatting import count, scientific, show, two_digits

SHOWN_ERRORS = (1e-2, 1e-4, 1e-6, 1e-8)
TOLD = {"field": "the field", "samples": "samples", "equation": "the equation"}
RACES = ("samples", "equation")  # tracks in which nets take part
INPUTS = {"x": "at x", "x,phi": "at x, with φ", "x,f,phi": "at x, with f and φ"}


@dataclass(frozen=True)
class Duel:
    """The best net and the best other method of one problem under equal conditions."""

    conditions: Conditions
    net: Entrant
    rival: Entrant

    @property
    def factor(self) -> float:
        """How many times the net's error is the rival's; below 1 the net is ahead."""
        if self.rival.error > 0:
            return self.net.error / self.rival.error
        return inf if self.net.error > 0 else 1.0


@dataclass(frozen=True)
class Fields:
    """The contenders of every problem of a run."""

    by_problem: Mapping[str, list[Contender]]

    @classmethod
    def of(cls, run: Run) -> Fields:
        names = sorted(contested(run.results), key=lambda name: (name != MAIN, name))
        found = {name: contenders(run.results, name) for name in names}
        smooth = [name for name in names if kind_of(found[name]) == "smooth"]
        return cls({name: found[name] for name in [*smooth, *(set_aside(names, smooth))]})

    @property
    def main(self) -> str | None:
        """The problem that the first figure is about: the paper's, or whatever there is."""
        names = list(self.by_problem)
        return MAIN if MAIN in names else names[0] if names else None

    def fullest(self, problem: str, track: str) -> list[Contender]:
        """Those under one set of conditions, and only they are compared: the set in which a net
        that meets something else is best, else the one that most methods share."""
        groups: dict[Conditions, list[Contender]] = {}
        for contender in self.by_problem[problem]:
            if contender.information == track:
                groups.setdefault(contender.conditions, []).append(contender)
        return max(groups.values(), key=_fullness, default=[])

    def decisions(self, problem: str, track: str) -> list[Decision]:
        field = self.fullest(problem, track)
        return decide([entrant(c) for c in field], SHOWN_ERRORS) if field else []

    def shown(self, track: str) -> list[str]:
        """Problems on which nets meet something else: nobody wins unopposed. Where they meet
        nowhere, all on which somebody was entered."""
        entered = {p: self.fullest(p, track) for p in self.by_problem}
        met = [p for p, field in entered.items() if len({c.is_net for c in field}) == 2]
        return met or [p for p, field in entered.items() if field]

    def duels(self, track: str) -> list[Duel]:
        """By problem; only where a net and something else were told the same."""
        found = []
        for problem in self.by_problem:
            field = [entrant(c) for c in self.fullest(problem, track)]
            nets = [e for e in field if e.is_net and e.error < inf]
            rivals = [e for e in field if not e.is_net and e.error < inf]
            if nets and rivals:
                best, other = (min(side, key=lambda e: e.error) for side in (nets, rivals))
                found.append(Duel(best.conditions, best, other))
        return found


def set_aside(names: Sequence[str], first: Sequence[str]) -> list[str]:
    return [name for name in names if name not in first]


def _fullness(field: Sequence[Contender]) -> tuple[bool, float, int]:
    """Nets that meet something else, then the best net, then many methods."""
    met = len({c.is_net for c in field}) == 2
    best = min((entrant(c).error for c in field if c.is_net), default=inf)
    return met, -best if met else 0.0, len(field)


def kind_of(field: Sequence[Contender]) -> str:
    """What the cells say of their problem."""
    said = {r.values.get("smooth") for c in field for r in c.records}
    return "singular" if False in said else "smooth" if True in said else ""


def told_in_words(conditions: Conditions) -> str:
    """`1 000 samples at x, with f and φ`, `the equation`"""
    if conditions.samples is None:
        return TOLD[conditions.information]
    where = INPUTS.get(conditions.inputs, f"with {conditions.inputs}")
    return f"{count(conditions.samples)} samples {where}"


def matrix(fields: Fields) -> Table | None:
    """Situations by required errors: the winner and its time, nothing else."""
    rows: list[tuple[Value, ...]] = []
    tints: dict[tuple[int, int], str] = {}
    for track in RACES:
        for problem in fields.shown(track):
            field, found = fields.by_problem[problem], fields.decisions(problem, track)
            for k, decision in enumerate(found):
                if decision.winner is not None:
                    tints[len(rows), k + 2] = _family(decision.winner.entrant, field)
            kind = kind_of(field)
            name = f"{problem} ({kind})" if kind else problem
            told = told_in_words(found[0].conditions)
            rows.append((told, name, *(_won(decision, field) for decision in found)))
    if not rows:
        return None
    columns = [Column("you are told"), Column("field")]
    columns += [Column(scientific(error, 0).removeprefix("1·")) for error in SHOWN_ERRORS]
    caption = (
        f"{_verdict(fields)} Who first has {POINTS:,} values with which L² error, and after what "
        "time on one thread, the search for settings not counted; where nobody does, in brackets "
        "who comes nearest, how near. Told samples, errors are where the samples lie."
    )
    return Table("winners", caption, columns, rows, tints=tints)


def _verdict(fields: Fields) -> str:
    """`A net is first in 3 of 28 situations that somebody masters, and nearest in 2 of 8
    situations that nobody does.`"""
    decided = [d for t in RACES for p in fields.shown(t) for d in fields.decisions(p, t)]
    won = [d.winner.entrant.is_net for d in decided if d.winner is not None]
    missed = [d.miss.entrant.is_net for d in decided if d.miss is not None and d.miss.error < inf]
    if not won:
        return "Nobody reaches any of these errors."
    first = f"{_often('first', won)} that somebody masters"
    near = f", and {_often('nearest', missed)} that nobody does" if missed else ""
    return f"A net is {first}{near}."


def _often(how: str, nets: Sequence[bool]) -> str:
    """`first in 3 of 28 situations`, `not first in the only situation`"""
    if len(nets) == 1:
        return f"{'' if nets[0] else 'not '}{how} in the only situation"
    much = sum(nets)
    often = "none" if much == 0 else "all" if much == len(nets) else str(much)
    return f"{how} in {often} of {len(nets)} situations"


def _family(entrant: Entrant, field: Sequence[Contender]) -> str:
    return next(c.competitor.family for c in field if c.name == entrant.name)


NEAREST = {"net": "net ", "finite element": "element ", "linear model": "linear fit "}


def _won(decision: Decision, field: Sequence[Contender]) -> str:
    if decision.winner is not None:
        entrant = decision.winner.entrant
        name = "net" if entrant.is_net else entrant.series
        return f"{name} {show(decision.winner.cost, 'seconds')}"
    assert decision.miss is not None
    nearest = decision.miss.error
    who = NEAREST.get(_family(decision.miss.entrant, field), "")
    return f"nobody ({who}{scientific(nearest, 0)})" if nearest < inf else "nobody"


def with_time(method: Entrant) -> str:
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
