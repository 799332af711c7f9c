"""The answer first: one paragraph and one figure, then the table to decide by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from math import inf, isinf

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import Competitor
from reports.context import Run
from reports.decision import POINTS, Decision, Method, Miss, alike, decide
from reports.document import Block, Column, Missing, Paragraph, Picture, Section, Table, Value
from reports.figures.comparison import undrawn, work_precision
from reports.figures.first_page import drawable, given_panels
from reports.first_page import (
    RACES,
    Duel,
    Fields,
    given_in_words,
    kind_of,
    matrix,
    times,
    with_time,
)
from reports.formatting import counted, listed, scientific
from reports.sections.ledger import first_claims

TITLE = "The answer"
ORDER = 10
STUDIES = ()  # whatever competes
GAP = ""


def headline(run: Run) -> str:
    """Told samples: where a net is ahead, where it is not, and by how much."""
    return samples_sentence(Fields.of(run).duels("samples"))


def samples_sentence(duels: Sequence[Duel]) -> str:
    """`**Told samples of the field, a net never wins here.** On maxwell legendre 9.5·10⁻¹³ …`"""
    if not duels:
        return ""
    won = [duel for duel in duels if duel.factor < 1]
    lost = [duel for duel in duels if duel.factor >= 1]
    if not won:
        answer = "a net never wins here"
    elif not lost:
        answer = "a net always wins here"
    else:
        ahead = listed([f"{d.conditions.problem} ({_by(d)})" for d in won])
        answer = f"a net ends lowest on {ahead} and loses on {_names(lost)}"
    return f"**Told samples of the field, {answer}.** {_shown((lost or won)[0])}"


def _by(duel: Duel) -> str:
    """`3.7 times below kernel ridge`"""
    factor = f"{times(1 / duel.factor)} times" if duel.factor else "far"
    return f"{factor} below {duel.rival.series}"


def _names(duels: Sequence[Duel]) -> str:
    return listed([duel.conditions.problem for duel in duels])


def _shown(duel: Duel) -> str:
    """The two methods, and what both were told."""
    first, second = (duel.rival, duel.net) if duel.factor >= 1 else (duel.net, duel.rival)
    factor = max(duel.factor, 1 / duel.factor) if duel.factor else inf
    return (
        f"On `{duel.conditions.problem}` {with_time(first)} is {times(factor)} times more accurate "
        f"than {with_time(second)} (both: {given_in_words(duel.conditions)}; "
        f"{counted(len(duel.net.trials), 'seed')})."
    )


def article(run: Run) -> list[Block | Section]:
    """Who wins, by what is told: one figure, one small table, the claims that compare."""
    fields = Fields.of(run)
    main = fields.main
    if main is None:
        return []
    panels = {track: fields.fullest(main, track) for track in INFORMATION}
    shown = drawable(c for field in panels.values() for c in field)
    table = matrix(fields)
    blocks: list[Block | Section] = [Paragraph(_lead(table is not None, bool(shown)))]
    if shown:
        caption = (
            f"{_message(panels)} Problem `{main}`. Blue are finite elements, one mark per size; "
            "orange the best net along its training; grey linear models. Methods in one panel were "
            f"told the same{_samples(panels['samples'])}; across panels they do not compare."
        )
        source = run.made_by(Results([r for c in shown for r in c.records]))
        draw = partial(given_panels, shown)
        blocks.append(Picture("given", caption, draw, _message(panels), source))
    if table is not None:
        every = Results([r for f in fields.by_problem.values() for c in f for r in c.records])
        blocks.append(replace(table, source=run.made_by(every)))
    return [*blocks, *first_claims(run)]


def _lead(table: bool, figure: bool) -> str:
    where = [name for name, there in (("[[given]]", figure), ("[[winners]]", table)) if there]
    see = f" ({listed(where)})" if where else ""
    return f"The answer depends on what a method is told, on the field and on the error{see}."


def _samples(field: Sequence[Competitor]) -> str:
    if not field or field[0].declared.samples is None:
        return ""
    return f" (samples: {given_in_words(field[0].conditions)})"


def _message(panels: Mapping[str, Sequence[Competitor]]) -> str:
    """Who comes how far where nets take part, and how far the best net stays behind."""
    parts = []
    for track in RACES:
        field = [c.method for c in drawable(panels[track])]
        if not field:
            continue
        best = min(field, key=lambda m: m.error)
        net = min((m for m in field if m.family == "net"), key=lambda m: m.error, default=None)
        name = "a net" if net is best else best.series
        words = (
            f"given {INFORMATION[track].short}, {name} comes furthest ({scientific(best.error, 1)})"
        )
        if net is not None and net is not best:
            words += f", the best net to {scientific(net.error, 1)}"
        parts.append(words)
    sentence = "; ".join(parts) or "finite elements told the field, by size"
    return f"{sentence[0].upper()}{sentence[1:]}."


def contents(run: Run) -> list[Block | Section]:
    found = Fields.of(run)
    main, fields = found.main, dict(found.by_problem)
    if main is None:
        missing = Missing("there are no results yet.", run.command("training"))
        return [] if len(run.results) else [missing]
    said = _message({track: found.fullest(main, track) for track in INFORMATION})
    return [
        Paragraph(
            "Everything behind the first page: all methods of its field in one figure, and the "
            "decisions for every field, kind of information and required error."
        ),
        Picture(
            "work-precision",
            f"{said} Work and precision on {main}: L² error on the whole domain against seconds "
            "and unknowns. Oracle lines are told the field everywhere; nets and least squares are "
            "told samples in the training part, and dotted lines the equation: marks of different "
            f"kinds of information do not compare.{_not_drawn(fields[main])}",
            partial(work_precision, fields[main]),
            f"Work-precision diagram. {said}",
            run.made_by(Results([r for c in fields[main] for r in c.records])),
        ),
        *_tables(run, fields),
    ]


def _not_drawn(field: Sequence[Competitor]) -> str:
    names = undrawn(field)
    return f" Without an error on the cube, and so not drawn: {', '.join(names)}." if names else ""


def _tables(run: Run, fields: dict[str, list[Competitor]]) -> list[Block]:
    """One table per question: what is a method told?"""
    everybody = [c for field in fields.values() for c in field]
    kinds = {problem: kind_of(field) for problem, field in fields.items()}
    blocks: list[Block] = []
    for track, told in ((name, row.title) for name, row in INFORMATION.items()):
        able = [c for c in everybody if c.information == track]
        if not able:
            blocks.append(Missing(f"no method of this run was told {told}.", _COMMANDS[track](run)))
            continue
        blocks.append(_table(run, track, told, able, kinds))
    return blocks


_COMMANDS = {
    "samples": lambda run: run.command("baselines"),
    "equation": lambda run: run.command("boundary_value"),
    "field": lambda run: run.command("convergence"),
}


def _table(
    run: Run, track: str, told: str, field: Sequence[Competitor], kinds: Mapping[str, str]
) -> Table:
    samples = [Column("samples", "count"), Column("inputs")] if track == "samples" else []
    columns = [
        Column("field"),
        *samples,
        Column("required L² error"),
        Column("winner"),
        Column("time to it", "seconds"),
        Column("search", "seconds"),
        Column("per point", "seconds"),
        Column("reached in"),
        Column("runner-up"),
        Column("times the cost", "ratio"),
        Column("cheapest net"),
        Column("times the cost", "ratio"),
    ]
    decisions = decide(c.method for c in field)
    rows = [_row(group, kinds) for group in _groups(decisions)]
    where = (
        "in the cylinder, where the samples lie" if track == "samples" else "on the whole domain"
    )
    return Table(
        f"decision-{track}",
        f"You are told {told}: the cheapest method that reaches the required error {where}. Only "
        "methods told the same meet in a row. Cost is the time until the error is reached, read "
        f"off the recorded curve, and {POINTS:,} evaluated points; the search for its settings is "
        "not in it and has a column of its own.",
        columns,
        rows,
        run.made_by(Results([r for c in field for r in c.records])),
    )


def _groups(decisions: Sequence[Decision]) -> list[list[Decision]]:
    """Neighbouring required errors with one answer share a row."""
    groups: list[list[Decision]] = []
    for decision in decisions:
        if groups and alike(groups[-1][-1], decision):
            groups[-1].append(decision)
        else:
            groups.append([decision])
    return groups


def _row(group: Sequence[Decision], kinds: Mapping[str, str]) -> tuple[Value, ...]:
    decision, conditions = group[-1], group[-1].conditions
    samples = (conditions.samples, conditions.inputs) if conditions.information == "samples" else ()
    threads = f", {conditions.threads} threads" if conditions.threads > 1 else ""
    kind = kinds[conditions.problem]
    field = f"{conditions.problem}{f' ({kind})' if kind else ''}{threads}"
    errors = dict.fromkeys(scientific(each.required, 0) for each in (group[0], group[-1]))
    head = (field, *samples, " to ".join(errors))
    winner, second, net = decision.winner, decision.runner_up, decision.net
    if winner is None:
        nearest, reason = _nearest(decision.miss)
        return (*head, f"nobody; nearest {nearest}", *(None,) * 4, reason, *(None,) * 3)
    return (
        *head,
        f"{_short(winner.method)}, {scientific(winner.error)}",
        winner.seconds,
        winner.search,
        winner.per_point,
        f"{winner.reached} of {winner.seeds}",
        _short(second.method) if second else "nobody else",
        decision.factor,
        _short(net.method) if net else _no_net(decision),
        net.cost / winner.cost if net else None,
    )


def _no_net(decision: Decision) -> str:
    """None that reaches it is not the same as none that was entered."""
    return f"none of {decision.nets}" if decision.nets else "none entered"


def _nearest(miss: Miss | None) -> tuple[str, str]:
    assert miss is not None
    error = "no error" if isinf(miss.error) else scientific(miss.error)
    return f"{_short(miss.method)}, {error}", miss.reason


def _short(method: Method) -> str:
    """Its name without what the row says anyway."""
    conditions = method.conditions
    said = (f" ({conditions.inputs})", f", {conditions.samples} samples")
    return reduce(lambda name, part: name.replace(part, ""), said, method.name)
