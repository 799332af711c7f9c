"""Situations about one field: what you are told, its kind, the required error, how many values.

An answer is a decision at equal conditions (`reports.decision`), in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isinf

from bench.store.results import Results
from reports.contenders import Contender, entrant
from reports.context import Run
from reports.decision import (
    POINTS,
    QUESTIONS,
    REQUIRED,
    Conditions,
    Decision,
    Entrant,
    Place,
    decision,
)
from reports.document import Column, Source, Table, Value
from reports.first_page import MAIN, Fields
from reports.formatting import number, scientific, show
from reports.interactive.finder import Answer, Choice, Finder, Question

QUERIES = (1, POINTS, 1_000_000, 100_000_000)
TRACKS = ("equation", "samples", "field")  # the order in which they are offered
KINDS = ("smooth", "singular", "re-entrant", "not said")
DEFAULT_ERROR = 1e-4


def find(run: Run) -> Finder | None:
    """Every situation that the run's results decide; None where nothing competes."""
    groups = _groups(Fields.of(run), _kinds(run))
    if not groups:
        return None
    answers: dict[Choice, Answer] = {}
    rows: list[list[Value]] = []
    tints: dict[tuple[int, int], str] = {}
    for group in groups:
        for required in REQUIRED:
            decided = [decision(group.entrants, required, points) for points in QUERIES]
            for k, each in enumerate(decided):
                choice = (group.told, group.field, _error(required), _queries(QUERIES[k]))
                answers[choice] = group.answer(each, len(rows))
                tints[len(rows), k + 3] = answers[choice].family
            rows.append([group.told, group.field, _error(required), *map(_cell, decided)])
    known = Results([r for group in groups for c in group.contenders for r in c.records])
    table = _table(rows, tints, run.made_by(known))
    return Finder(_questions(groups), answers, table, NOTE)


NOTE = (
    "Only methods that were told the same, on the same problem and as many threads, are compared. "
    "Errors are on the whole domain, of samples where these lie; times are medians over seeds, on "
    "one thread unless said, without the search for settings."
)


def _questions(groups: Sequence[_Group]) -> tuple[Question, ...]:
    told = tuple(dict.fromkeys(group.told for group in groups))
    fields = tuple(dict.fromkeys(g.field for g in sorted(groups, key=lambda g: g.place)))
    return (
        Question("told", "What are you told?", told),
        Question("field", "Which kind of field?", fields, fields.index(groups[0].field)),
        Question(
            "error",
            "Which L² error?",
            tuple(map(_error, REQUIRED)),
            REQUIRED.index(DEFAULT_ERROR),
        ),
        Question(
            "queries",
            "How many values of it?",
            tuple(map(_queries, QUERIES)),
            QUERIES.index(POINTS),
        ),
    )


@dataclass(frozen=True)
class _Group:
    """Methods under equal conditions."""

    conditions: Conditions
    kind: str
    contenders: Sequence[Contender]
    usual: bool  # most methods of its track have its inputs

    @cached_property
    def entrants(self) -> list[Entrant]:
        return [entrant(contender) for contender in self.contenders]

    @property
    def told(self) -> str:
        """`12,000 samples of the field (inputs x,f,phi)`"""
        said, threads = self.conditions, self.conditions.threads
        words = QUESTIONS[said.information]
        if said.samples is not None:
            words = f"{said.samples:,} {words} (inputs {said.inputs})"
        elif not self.usual:
            words = f"{words}, with {said.inputs} alone"
        return words + (f", {threads} threads" if threads > 1 else "")

    @property
    def field(self) -> str:
        return f"{self.kind}: {self.conditions.problem}"

    @property
    def place(self) -> tuple[int, bool, str]:
        """The paper's field first among the smooth ones."""
        problem = self.conditions.problem
        return KINDS.index(self.kind), problem != MAIN, problem

    def answer(self, decided: Decision, row: int) -> Answer:
        winner = decided.winner
        if winner is None:
            return _nobody(decided, self._of(decided), row)
        second, net = decided.runner_up, decided.net
        facts = [
            ("cost", f"{_time(winner.cost)} for {_queries(winner.points)}"),
            ("of which", f"{_time(winner.seconds)} to reach the error, {_time(winner.per_point)} "
             f"per value"),
            ("search for its settings", show(winner.search, "seconds")),
            ("reached in", f"{winner.reached} of {_seeds(winner.seeds)}; it ends at "
             f"{scientific(winner.error)}"),
            ("runner-up", _rival(second, winner) if second else "nobody else gets there"),
        ]  # fmt: skip
        if not winner.entrant.is_net:
            facts.append(("cheapest net", _rival(net, winner) if net else _no_net(decided)))
        factor = f", {number(decided.factor)} times cheaper than the next" if decided.factor else ""
        words = f"{winner.entrant.name} wins: {_time(winner.cost)}{factor}."
        keys = [*self._keys(winner), *(self._keys(second) if second else ())]
        return Answer(winner.entrant.name, self._family(winner), words, tuple(facts), (*keys,), row)

    def _of(self, decided: Decision) -> tuple[str, ...]:
        """The cells of whoever comes nearest."""
        assert decided.miss is not None
        return self._cells(decided.miss.entrant.name)

    def _keys(self, place: Place) -> tuple[str, ...]:
        return self._cells(place.entrant.name)

    def _cells(self, name: str) -> tuple[str, ...]:
        return next((c.keys for c in self.contenders if c.name == name), ())

    def _family(self, place: Place) -> str:
        return next(c.competitor.family for c in self.contenders if c.name == place.entrant.name)


def _nobody(decided: Decision, keys: tuple[str, ...], row: int) -> Answer:
    miss = decided.miss
    assert miss is not None
    near = "no error at all" if isinf(miss.error) else scientific(miss.error)
    facts = (("nearest miss", f"{miss.entrant.name}, {near}"), ("why not nearer", miss.reason))
    words = f"Nobody reaches it; {miss.entrant.name} comes nearest with {near}."
    return Answer("nobody", "", words, facts, keys, row)


def _groups(fields: Fields, kinds: Mapping[str, str]) -> list[_Group]:
    """By equal conditions: what most methods share first, track by track."""
    by: dict[Conditions, list[Contender]] = {}
    for contenders in fields.by_problem.values():
        for contender in contenders:
            by.setdefault(contender.conditions, []).append(contender)
    inputs: dict[str, Counter[str]] = {}
    for said, members in by.items():
        inputs.setdefault(said.information, Counter())[said.inputs] += len(members)
    found = [
        _Group(
            said,
            kinds[said.problem],
            members,
            inputs[said.information].most_common(1)[0][0] == said.inputs,
        )
        for said, members in by.items()
    ]
    many: Counter[str] = Counter()
    for group in found:
        many[group.told] += len(group.contenders)
    return sorted(
        found,
        key=lambda g: (TRACKS.index(g.conditions.information), -many[g.told], g.told, g.place),
    )


def _kinds(run: Run) -> dict[str, str]:
    """What the cells say of their problem; those of one study lie at a re-entrant edge."""
    edges = {str(r.config.get("problem")) for r in run.results_of("reentrant")}
    said: dict[str, set[object]] = {}
    for record in run.results:
        said.setdefault(str(record.config.get("problem")), set()).add(record.values.get("smooth"))
    return {
        problem: "re-entrant"
        if problem in edges
        else "singular"
        if False in found
        else "smooth"
        if True in found
        else "not said"
        for problem, found in said.items()
    }


def _table(
    rows: list[list[Value]], tints: dict[tuple[int, int], str], source: Source | None
) -> Table:
    columns = [Column("you are told"), Column("field"), Column("L² error")]
    columns += [Column(_queries(points)) for points in QUERIES]
    caption = (
        "Who is cheapest in every situation of this run, and how many times cheaper than the next "
        "method of another kind. Cost is the time until the error is reached and that of all "
        "values. Where nobody reaches it, how near the best came."
    )
    return Table("situations", caption, columns, rows, source, tints)


def _cell(decided: Decision) -> str:
    winner = decided.winner
    if winner is None:
        assert decided.miss is not None
        near = decided.miss.error
        return "nobody" if isinf(near) else f"nobody ({scientific(near, 0)})"
    factor = f" (×{number(decided.factor)})" if decided.factor else ""
    return f"{winner.entrant.series} {_time(winner.cost)}{factor}"


def _rival(place: Place, winner: Place) -> str:
    factor = number(place.cost / winner.cost)
    return f"{place.entrant.name}, {factor} times the cost ({_time(place.cost)})"


def _no_net(decided: Decision) -> str:
    if not decided.nets:
        return "no net was told this"
    return (
        "the one that was told this does not get there"
        if decided.nets == 1
        else (f"none of the {decided.nets} that were told this gets there")
    )


def _seeds(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _error(required: float) -> str:
    return scientific(required, 0).removeprefix("1·")


def _queries(points: int) -> str:
    return "1 value" if points == 1 else f"{points:,} values"


def _time(seconds: float) -> str:
    return show(seconds, "seconds")
