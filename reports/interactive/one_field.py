"""Situations about one field: what is given, its kind, the required error, how many values.

An answer is a decision at equal conditions (`reports.decision`), in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isinf

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import Competitor, by_problem
from reports.context import Run
from reports.decision import POINTS, REQUIRED, Conditions, Decision, Method, Success, decision
from reports.document import Column, Source, Table, Value
from reports.formatting import number, scientific, show
from reports.interactive.finder import Answer, Choice, Finder, Question

QUERIES = (1, POINTS, 1_000_000, 100_000_000)
KINDS = ("smooth", "singular", "re-entrant", "not said")
DEFAULT_ERROR = 1e-4
FIRST = "equation"  # the kind of information that is asked about first


def find(run: Run) -> Finder | None:
    """Every situation that the run's results decide; None where nothing competes."""
    groups = _groups(by_problem(run.results), _kinds(run))
    if not groups:
        return None
    answers: dict[Choice, Answer] = {}
    rows: list[list[Value]] = []
    tints: dict[tuple[int, int], str] = {}
    for group in groups:
        for required in REQUIRED:
            decided = [decision(group.methods, required, points) for points in QUERIES]
            for k, each in enumerate(decided):
                choice = (group.given, group.field, _error(required), _queries(QUERIES[k]))
                answers[choice] = _answer(each, len(rows))
                tints[len(rows), k + 3] = answers[choice].family
            rows.append([group.given, group.field, _error(required), *map(_cell, decided)])
    keys = {key for group in groups for method in group.methods for key in method.keys}
    known = Results([record for record in run.records if record.key in keys])
    table = _table(rows, tints, run.made_by(known))
    return Finder(_questions(groups), answers, table, NOTE)


NOTE = (
    "Only methods that are given the same, on the same problem and as many threads, are compared. "
    "Errors are measured on the whole domain, or where the samples lie if samples are given; times "
    "are medians over seeds, without the search for settings."
)


def _questions(groups: Sequence[_Group]) -> tuple[Question, ...]:
    given = tuple(dict.fromkeys(group.given for group in groups))
    fields = tuple(dict.fromkeys(g.field for g in sorted(groups, key=lambda g: g.order)))
    errors, queries = tuple(map(_error, REQUIRED)), tuple(map(_queries, QUERIES))
    return (
        Question("given", "What is given?", given),
        Question("field", "Which kind of field?", fields, fields.index(groups[0].field)),
        Question("error", "Which L² error?", errors, REQUIRED.index(DEFAULT_ERROR)),
        Question("queries", "How many values of it?", queries, QUERIES.index(POINTS)),
    )


@dataclass(frozen=True)
class _Group:
    """Methods under equal conditions."""

    conditions: Conditions
    field: str  # `smooth: maxwell`
    order: tuple[int, int]  # of the field: kind, then place among the problems
    methods: Sequence[Method]
    usual: bool  # most methods that are given this have its inputs

    @property
    def given(self) -> str:
        """`12,000 samples of the field (inputs x,f,phi)`"""
        conditions, threads = self.conditions, self.conditions.threads
        words = INFORMATION[conditions.information].title
        if conditions.samples is not None:
            words = f"{conditions.samples:,} {words} (inputs {conditions.inputs})"
        elif not self.usual:
            words = f"{words}, with {conditions.inputs} alone"
        return words + (f", {threads} threads" if threads > 1 else "")


def _answer(decided: Decision, row: int) -> Answer:
    winner, second, net = decided.winner, decided.runner_up, decided.net
    if winner is None:
        return _missed(decided, row)
    facts = [
        ("cost", f"{_time(winner.cost)} for {_queries(winner.points)}"),
        ("of which", f"{_time(winner.seconds)} to reach the error, {_time(winner.per_point)} "
         f"per value"),
        ("search for its settings", show(winner.search, "seconds")),
        ("reached in", f"{winner.reached} of {winner.seeds} seeds; it ends at "
         f"{scientific(winner.error)}"),
        ("runner-up", _rival(second, winner) if second else "no other method reaches the error"),
    ]  # fmt: skip
    if not winner.method.is_net:
        given = f"none of {decided.nets} that are given this reaches the error"
        missed = given if decided.nets else "no net is given this"
        facts.append(("cheapest net", _rival(net, winner) if net else missed))
    factor = f", {number(decided.factor)} times cheaper than the next" if decided.factor else ""
    words = f"{winner.method.name} wins: {_time(winner.cost)}{factor}."
    keys = (*winner.method.keys, *(second.method.keys if second else ()))
    return Answer(winner.method.name, winner.method.family, words, tuple(facts), keys, row)


def _missed(decided: Decision, row: int) -> Answer:
    miss = decided.miss
    assert miss is not None
    near = "an infinite error (diverged)" if isinf(miss.error) else scientific(miss.error)
    facts = (("nearest miss", f"{miss.method.name}, {near}"), ("why not nearer", miss.reason))
    words = f"No method reaches it; {miss.method.name} comes nearest with {near}."
    return Answer("none", "", words, facts, miss.method.keys, row)


def _groups(fields: Mapping[str, list[Competitor]], kinds: Mapping[str, str]) -> list[_Group]:
    """By equal conditions: what most methods share first, by what is given."""
    by: dict[Conditions, list[Method]] = {}
    for competitor in (c for field in fields.values() for c in field):
        by.setdefault(competitor.conditions, []).append(competitor.method)
    inputs: dict[str, Counter[str]] = {}
    for conditions, members in by.items():
        inputs.setdefault(conditions.information, Counter())[conditions.inputs] += len(members)
    problems, tracks = list(fields), sorted(INFORMATION, key=lambda name: name != FIRST)
    found = []
    for conditions, members in by.items():
        kind, problem = kinds[conditions.problem], conditions.problem
        order = (KINDS.index(kind), problems.index(problem))
        usual = inputs[conditions.information].most_common(1)[0][0] == conditions.inputs
        found.append(_Group(conditions, f"{kind}: {problem}", order, members, usual))
    many: Counter[str] = Counter()
    for group in found:
        many[group.given] += len(group.methods)
    return sorted(
        found,
        key=lambda g: (tracks.index(g.conditions.information), -many[g.given], g.given, g.order),
    )


def _kinds(run: Run) -> dict[str, str]:
    """What the cells say of their problem; those of one study lie at a re-entrant edge."""
    edges = {str(r.config.get("problem")) for r in run.results_of("reentrant")}
    smooth: dict[str, set[object]] = {}
    for record in run.results:
        smooth.setdefault(str(record.config.get("problem")), set()).add(record.values.get("smooth"))
    return {
        problem: "re-entrant"
        if problem in edges
        else "singular"
        if False in found
        else "smooth"
        if True in found
        else "not said"
        for problem, found in smooth.items()
    }


def _table(
    rows: list[list[Value]], tints: dict[tuple[int, int], str], source: Source | None
) -> Table:
    columns = [Column("given"), Column("field"), Column("L² error")]
    columns += [Column(_queries(points)) for points in QUERIES]
    caption = (
        "The cheapest method in every situation of this run, and how many times cheaper it is than "
        "the next method of another kind. The cost is the time to reach the error and to compute "
        "all values. Where no method reaches it, the nearest error stands in brackets."
    )
    return Table("situations", caption, columns, rows, source, tints)


def _cell(decided: Decision) -> str:
    winner = decided.winner
    if winner is None:
        assert decided.miss is not None
        near = decided.miss.error
        return "none" if isinf(near) else f"none ({scientific(near, 0)})"
    factor = f" (×{number(decided.factor)})" if decided.factor else ""
    return f"{winner.method.series} {_time(winner.cost)}{factor}"


def _rival(other: Success, winner: Success) -> str:
    factor = number(other.cost / winner.cost)
    return f"{other.method.name}, {factor} times the cost ({_time(other.cost)})"


def _error(required: float) -> str:
    return scientific(required, 0).removeprefix("1·")


def _queries(points: int) -> str:
    return "1 value" if points == 1 else f"{points:,} values"


def _time(seconds: float) -> str:
    return show(seconds, "seconds")
