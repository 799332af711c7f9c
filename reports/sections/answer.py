"""The answer first: one paragraph and one figure, then the table to decide by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from math import isinf

from bench.claims.facts import Fact
from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import Competitor
from reports.context import Run
from reports.decision import POINTS, Decision, Method, Miss, alike, decide
from reports.document import Block, Column, Missing, Paragraph, Picture, Section, Table, Value
from reports.faults import facts_in_words
from reports.figures.comparison import undrawn, work_precision
from reports.figures.first_page import drawable, given_panels
from reports.first_page import (
    Fields,
    given_in_words,
    kind_of,
    matrix,
)
from reports.formatting import scientific

TITLE = "The answer"
ORDER = 10
STUDIES = ()  # whatever competes
GAP = ""


def headline(run: Run) -> str:
    """Given samples: the best net and the best other method, field by field."""
    return facts_in_words("baselines", run.results, summary)


def summary(facts: Mapping[str, Fact]) -> str:
    """By field the error of the best net and of the best other method from the same samples."""
    parts = []
    for name, net in facts.items():
        other = facts.get(name.replace("-net-error", "-other-error"))
        if name.endswith("-net-error") and name.startswith("baselines/") and other is not None:
            problem = name.removeprefix("baselines/").removesuffix("-net-error")
            series, _, given = other.conditions.partition("; ")
            parts.append(
                f"`{problem}` ({given}; seeds: {net.seeds}): net {scientific(net.value, 1)}, "
                f"{series} {scientific(other.value, 1)}"
            )
    if not parts:
        return ""
    return (
        "**Given samples of the field**, median L² errors where the samples lie, of the best net "
        f"and of the best other method: {'; '.join(parts)}."
    )


def article(run: Run) -> list[Block | Section]:
    """The cheapest method by what is given: one figure and one small table."""
    fields = Fields.of(run)
    main = fields.main
    if main is None:
        return []
    panels = {track: fields.fullest(main, track) for track in INFORMATION}
    shown = drawable(c for field in panels.values() for c in field)
    table = matrix(fields)
    blocks: list[Block] = []
    if shown:
        caption = (
            f"L² error against seconds on `{main}`, one panel per kind of information. Blue: "
            "finite elements, one mark per size; orange: the best net along its training; grey: "
            "linear models. Methods in one panel are given the same"
            f"{_samples(panels['samples'])}; methods in different panels do not compare."
        )
        source = run.made_by(Results([r for c in shown for r in c.records]))
        draw = partial(given_panels, shown)
        blocks.append(Picture("given", caption, draw, caption, source))
    if table is not None:
        every = Results([r for f in fields.by_problem.values() for c in f for r in c.records])
        blocks.append(replace(table, source=run.made_by(every)))
    see = ", ".join(f"[[{block.name}]]" for block in blocks if isinstance(block, Picture | Table))
    lead = "The answer depends on what a method is given, on the field and on the required error"
    return [Paragraph(f"{lead}{f' ({see})' if see else ''}."), *blocks]


def _samples(field: Sequence[Competitor]) -> str:
    if not field or field[0].declared.samples is None:
        return ""
    return f" (samples: {given_in_words(field[0].conditions)})"


def contents(run: Run) -> list[Block | Section]:
    found = Fields.of(run)
    main, fields = found.main, dict(found.by_problem)
    if main is None:
        missing = Missing("there are no results yet.", run.command("training"))
        return [] if len(run.results) else [missing]
    return [
        Paragraph(
            "Everything behind the first page: all methods of its field in one figure, and the "
            "decisions for every field, kind of information and required error."
        ),
        Picture(
            "work-precision",
            f"Work and precision on {main}: L² error on the whole domain against seconds and "
            "unknowns. Best approximations are given the field everywhere, nets and least squares "
            "samples in the training part, and methods with dotted lines the equation: marks of "
            f"different kinds of information do not compare.{_not_drawn(fields[main])}",
            partial(work_precision, fields[main]),
            f"L² error on {main} against seconds and against unknowns, all methods.",
            run.made_by(Results([r for c in fields[main] for r in c.records])),
        ),
        *_tables(run, fields),
    ]


def _not_drawn(field: Sequence[Competitor]) -> str:
    names = undrawn(field)
    return f" Without an error on the cube, and so not drawn: {', '.join(names)}." if names else ""


def _tables(run: Run, fields: dict[str, list[Competitor]]) -> list[Block]:
    """One table per kind of information."""
    every = [c for field in fields.values() for c in field]
    kinds = {problem: kind_of(field) for problem, field in fields.items()}
    blocks: list[Block] = []
    for track, given in ((name, row.title) for name, row in INFORMATION.items()):
        able = [c for c in every if c.information == track]
        if not able:
            blocks.append(
                Missing(f"no method of this run is given {given}.", _COMMANDS[track](run))
            )
            continue
        blocks.append(_table(run, track, given, able, kinds))
    return blocks


_COMMANDS = {
    "samples": lambda run: run.command("baselines"),
    "equation": lambda run: run.command("boundary_value"),
    "field": lambda run: run.command("convergence"),
}


def _table(
    run: Run, track: str, given: str, field: Sequence[Competitor], kinds: Mapping[str, str]
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
        f"Given {given}: the cheapest method that reaches the required error {where}. Methods in "
        "a row are given the same. Cost is the time until the error is reached, read off the "
        f"recorded curve, and {POINTS:,} evaluated points; the search for settings is not included "
        "and has a column of its own.",
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
        return (*head, f"no method; nearest {nearest}", *(None,) * 4, reason, *(None,) * 3)
    return (
        *head,
        f"{_short(winner.method)}, {scientific(winner.error)}",
        winner.seconds,
        winner.search,
        winner.per_point,
        f"{winner.reached} of {winner.seeds}",
        _short(second.method) if second else "no other method",
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
    parts = (f" ({conditions.inputs})", f", {conditions.samples} samples")
    return reduce(lambda name, part: name.replace(part, ""), parts, method.name)
