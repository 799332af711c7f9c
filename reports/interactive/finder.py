"""Which situation are you in? Four questions with a few options each, an answer to every choice.

What is given, which field, the required error, how many values: an answer is a decision at equal
conditions (`reports.decision`), in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import by_problem
from reports.context import Run
from reports.decision import POINTS, REQUIRED, Conditions, Decision, Method, Success, decision
from reports.document import Column, Table, Value, slug
from reports.formatting import number, scientific, show
from reports.interactive.cells import short

QUERIES = (1, POINTS, 1_000_000, 100_000_000)
KINDS = ("smooth", "singular", "re-entrant", "not said")
DEFAULT_ERROR = 1e-4
FIRST = "equation"  # the kind of information that is asked about first
NOTE = (
    "Only methods that are given the same, on the same problem and as many threads, are compared. "
    "Errors are measured on the whole domain, or where the samples lie if samples are given; times "
    "are medians over seeds, without the search for settings."
)
CAPTION = (
    "The cheapest method in every situation of this run, and how many times cheaper it is than the "
    "next method of another kind. The cost is the time to reach the error and to compute all "
    "values. Where no method reaches it, the nearest error stands in brackets."
)
Fact = tuple[str, str]
Groups = Mapping[tuple[str, str], Sequence[Method]]  # by what is given and by field


@dataclass(frozen=True)
class Question:
    name: str
    title: str
    options: tuple[str, ...]
    default: int = 0


Answer = dict[str, Any]
"""For the page: words, facts, the runs behind them, and the row of the table of all answers."""


@dataclass(frozen=True)
class Finder:
    """Questions, and an answer by the places of the chosen options (`0.2.1.3`)."""

    questions: tuple[Question, ...]
    answers: Mapping[str, Answer]
    table: Table
    note: str = NOTE

    def answer(self, *options: str) -> Answer | None:
        """The answer to chosen options, without any to the default ones."""
        chosen = options or [q.options[q.default] for q in self.questions]
        places = [q.options.index(o) for q, o in zip(self.questions, chosen, strict=True)]
        return self.answers.get(".".join(map(str, places)))


def find(run: Run) -> Finder | None:
    """Every situation that the run's results decide; None where nothing competes."""
    groups = _groups(run)
    if not groups:
        return None
    questions = _questions(groups)
    answers: dict[str, Answer] = {}
    rows: list[list[Value]] = []
    tints: dict[tuple[int, int], str] = {}
    for (given, field), methods in groups.items():
        for required in REQUIRED:
            row: list[Value] = [given, field, _error(required)]
            for points in QUERIES:
                decided = decision(methods, required, points)
                choice = (given, field, _error(required), _queries(points))
                places = [q.options.index(o) for q, o in zip(questions, choice, strict=True)]
                answer = _answer(decided, required, points) | {"row": len(rows)}
                answers[".".join(map(str, places))] = answer
                tints[len(rows), len(row)] = decided.winner.method.family if decided.winner else ""
                row.append(_cell(decided))
            rows.append(row)
    keys = {key for methods in groups.values() for method in methods for key in method.keys}
    source = run.made_by(Results([record for record in run.records if record.key in keys]))
    columns = [Column(title) for title in ("given", "field", "L² error", *map(_queries, QUERIES))]
    table = Table("situations", CAPTION, columns, rows, source, tints)
    return Finder(questions, answers, table)


def _questions(groups: Groups) -> tuple[Question, ...]:
    given = tuple(dict.fromkeys(given for given, _ in groups))
    fields = sorted({f for _, f in groups}, key=lambda f: (KINDS.index(f.partition(":")[0]), f))
    first = next(iter(groups))[1]
    errors, queries = tuple(map(_error, REQUIRED)), tuple(map(_queries, QUERIES))
    return (
        Question("given", "What is given?", given),
        Question("field", "Which kind of field?", tuple(fields), fields.index(first)),
        Question("error", "Which L² error?", errors, REQUIRED.index(DEFAULT_ERROR)),
        Question("queries", "How many values of it?", queries, QUERIES.index(POINTS)),
    )


def _groups(run: Run) -> Groups:
    """Methods under equal conditions: the equation first, then what most methods share."""
    by: dict[Conditions, list[Method]] = {}
    for field in by_problem(run.results).values():
        for competitor in field:
            by.setdefault(competitor.conditions, []).append(competitor)
    inputs: dict[str, Counter[str]] = {}
    for conditions, members in by.items():
        inputs.setdefault(conditions.information, Counter())[conditions.inputs] += len(members)
    usual = {information: count.most_common(1)[0][0] for information, count in inputs.items()}
    tracks, kinds = sorted(INFORMATION, key=lambda name: name != FIRST), _kinds(run)
    many: Counter[str] = Counter()
    for conditions, members in by.items():
        many[_given(conditions, usual)] += len(members)

    def place(conditions: Conditions) -> tuple[int, int, str, int]:
        given = _given(conditions, usual)
        kind = KINDS.index(kinds[conditions.problem])
        return tracks.index(conditions.information), -many[given], given, kind

    return {
        (_given(c, usual), f"{kinds[c.problem]}: {c.problem}"): by[c] for c in sorted(by, key=place)
    }


def _given(conditions: Conditions, usual: Mapping[str, str]) -> str:
    """`12,000 samples of the field (inputs x,f,phi)`; inputs that most methods have go unsaid."""
    words, threads = INFORMATION[conditions.information].title, conditions.threads
    if conditions.samples is not None:
        words = f"{conditions.samples:,} {words} (inputs {conditions.inputs})"
    elif usual[conditions.information] != conditions.inputs:
        words = f"{words}, with {conditions.inputs} alone"
    return words + (f", {threads} threads" if threads > 1 else "")


def _kinds(run: Run) -> dict[str, str]:
    """What the cells say of their problem; those of one study lie at a re-entrant edge."""
    found: dict[str, str] = {}
    for record in run.results:
        problem, smooth = str(record.config.get("problem")), record.values.get("smooth")
        if smooth is not None or problem not in found:
            found[problem] = "not said" if smooth is None else "smooth" if smooth else "singular"
    edges = {str(r.config.get("problem")) for r in run.results_of("reentrant")}
    return found | dict.fromkeys(edges, "re-entrant")


def _answer(decided: Decision, required: float, points: int) -> Answer:
    winner, second, net = decided.winner, decided.runner_up, decided.net
    if winner is None:
        return _missed(decided)
    method = winner.method
    reached = f"{method.reached(required)} of {len(method.trials)} seeds"
    facts = [
        ("cost", f"{_time(winner.cost)} for {_queries(points)}"),
        ("of which", f"{_time(winner.seconds)} to reach the error, {_time(method.per_point)} per "
         "value"),
        ("search for its settings", show(method.search, "seconds")),
        ("reached in", f"{reached}; it ends at {scientific(method.smallest)}"),
        ("runner-up", _rival(second, winner) if second else "no other method reaches the error"),
    ]  # fmt: skip
    if not method.is_net:
        given = f"none of {decided.nets} that are given this reaches the error"
        missed = given if decided.nets else "no net is given this"
        facts.append(("cheapest net", _rival(net, winner) if net else missed))
    factor = f", {number(decided.factor)} times cheaper than the next" if decided.factor else ""
    words = f"{method.name} wins: {_time(winner.cost)}{factor}."
    keys = (*method.keys, *(second.method.keys if second else ()))
    return _told(slug(method.family), words, facts, keys)


def _missed(decided: Decision) -> Answer:
    name, error = decided.nearest.name, decided.nearest.smallest
    near = "an infinite error (diverged)" if isinf(error) else scientific(error)
    facts = (("nearest miss", f"{name}, {near}"), ("why not nearer", decided.reason))
    words = f"No method reaches it; {name} comes nearest with {near}."
    return _told("none", words, facts, decided.nearest.keys)


def _told(look: str, words: str, facts: Sequence[Fact], keys: Sequence[str]) -> Answer:
    return {"look": look, "words": words, "facts": facts, "runs": " ".join(map(short, keys))}


def _cell(decided: Decision) -> str:
    winner, near = decided.winner, decided.nearest.smallest
    if winner is None:
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


def _time(seconds: float | None) -> str:
    return show(seconds, "seconds")
