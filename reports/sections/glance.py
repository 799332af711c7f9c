"""At a glance: errors against time by what methods are given, and the cheapest methods."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.context import Run
from reports.decision import POINTS, Decision, decide
from reports.document import (
    Block,
    Column,
    Formula,
    Missing,
    Paragraph,
    Picture,
    Section,
    Table,
    Value,
)
from reports.fields import Fields, given_in_words, kind_of
from reports.figures.glance import drawable, given_panels
from reports.formatting import scientific, show

TITLE = "At a glance"
ORDER = 10
STUDIES = ()  # whatever competes
GAP = ""

REQUIRED = (1e-2, 1e-4, 1e-6, 1e-8)
COMPARED = tuple(name for name in INFORMATION if name != "field")  # given the field: oracles
LEAD = Paragraph(
    "Every field u solves one equation on a domain Ω with data φ, f and g. A method is given the "
    "field, samples of it, or the equation with its data, and is compared only with methods that "
    "are given the same."
)
EQUATION = Formula(
    '"curl"(phi "curl" u) = f, quad "div" u = 0 quad "in" Omega, quad quad '
    'u times n = g quad "on" ∂ Omega',
    "curl of phi curl u is f, the divergence of u is 0, and u cross n is g on the boundary.",
)


def contents(run: Run) -> list[Block | Section]:
    fields = Fields.of(run)
    if fields.main is None:
        missing = Missing("no results yet.", run.command("training"))
        return [] if len(run.results) else [missing]
    return [LEAD, EQUATION, *_panels(run, fields, fields.main), *_winners(run, fields)]


def _panels(run: Run, fields: Fields, problem: str) -> list[Block]:
    shown = drawable(c for track in INFORMATION for c in fields.fullest(problem, track))
    if not shown:
        return []
    caption = (
        f"L² error against seconds on `{problem}`, one panel per kind of information. Blue: finite "
        "elements, one mark per size; orange: the best net along its training, median over seeds; "
        "grey: linear models. Given samples, errors are measured where the samples lie, else on "
        "the whole domain, so methods in different panels do not compare."
    )
    source = run.made_by(Results([r for c in shown for r in c.records]))
    return [Picture("given", caption, partial(given_panels, shown), caption, source)]


def _winners(run: Run, fields: Fields) -> list[Block]:
    every = Results([r for f in fields.by_problem.values() for c in f for r in c.records])
    table = winners(fields)
    return [replace(table, source=run.made_by(every))] if table.rows else []


def winners(fields: Fields) -> Table:
    """Problems by required errors: the cheapest method and its time."""
    rows: list[tuple[Value, ...]] = []
    tints: dict[tuple[int, int], str] = {}
    for track in COMPARED:
        for problem in fields.shown(track):
            field = fields.fullest(problem, track)
            decisions = decide([c.method for c in field], REQUIRED)
            for k, decision in enumerate(decisions):
                if decision.winner is not None:
                    tints[len(rows), k + 2] = decision.winner.method.family
            kind = kind_of(fields.by_problem[problem])
            name = f"{problem} ({kind})" if kind else problem
            rows.append((given_in_words(field[0].conditions), name, *map(_cheapest, decisions)))
    columns = [Column("given"), Column("field")]
    columns += [Column(scientific(error, 0).removeprefix("1·")) for error in REQUIRED]
    caption = (
        f"Cheapest method per required L² error: time to reach it and evaluate {POINTS:,} points, "
        "on one thread, without the search for settings; medians over seeds. Where no method "
        "reaches the error, brackets have the nearest kind of method and its error. Given samples, "
        "errors are measured where the samples lie, else on the whole domain."
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
