"""Results at a glance: methods by problems, one table per kind of information."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from bench.core.information import INFORMATION, Information
from bench.store.results import Results
from reports.competitors import Competitor, by_problem, given_in_words, same_conditions
from reports.context import Run
from reports.document import Block, Column, Missing, Paragraph, Table, Value
from reports.formatting import show
from reports.style import RANKS

TITLE = "Results at a glance"
ORDER = 10

TEXT = (
    "Every field u solves curl(φ curl u) = f and div u = 0 in a domain, with u × n = g on its "
    "boundary. A method is given the field itself, samples of it, or the equation with its data, "
    "and is compared only with methods that are given the same: each column of a table is one "
    "comparison. Errors are in the L² norm at the end of the method, medians over seeds; times are "
    "seconds of one run, without the search for settings. Colours mark the three smallest errors "
    "of a column."
)
CAPTIONS = {
    "samples": "Given samples of the field: L² error where the samples lie, and time. In each "
    "column all methods have the same samples; of several such sets the one is shown in which the "
    "best network is best.",
    "equation": "Given the equation and the boundary data, never the field: L² error on the whole "
    "domain, and time. Of a finite element the most accurate mesh that was computed.",
    "field": "Given the field itself: L² error of the best approximation on the whole domain, and "
    "time. These methods show what a space can do; they do not solve a problem.",
}
FEW = 3  # columns of a table in which a cell has room for a net's budget
Cells = Mapping[str, Competitor]  # the best member of a series, by problem


def contents(run: Run) -> list[Block]:
    fields = by_problem(run.results)
    tables = [table(run, fields, information) for information in INFORMATION.values()]
    shown: list[Block] = [each for each in tables if each.rows]
    if not shown:
        missing = Missing("no results yet.", run.command("training"))
        return [] if len(run.results) else [missing]
    return [Paragraph(TEXT), *shown]


def table(run: Run, fields: Mapping[str, list[Competitor]], information: Information) -> Table:
    """Series of methods by problems: the smallest error of the series, with its time and rank."""
    sets = {p: same_conditions(field, information.name) for p, field in fields.items()}
    columns = {p: best for p, field in sets.items() if (best := best_of_series(field))}
    methods = sorted({name for best in columns.values() for name in best}, key=_place(columns))
    rows: list[tuple[Value, ...]] = []
    notes: dict[tuple[int, int], str] = {}
    tints: dict[tuple[int, int], str] = {}
    for at, name in enumerate(methods):
        row: list[Value] = [name]
        for k, best in enumerate(columns.values(), start=1):
            row.append(best[name].end_error if name in best else None)
            if name in best:
                notes[at, k] = _cost(best[name], with_budget=len(columns) <= FEW)
                if (rank := [*best].index(name)) < len(RANKS) and len(best) > 1:
                    tints[at, k] = RANKS[rank]
        rows.append(tuple(row))
    heads = [_head(problem, next(iter(best.values()))) for problem, best in columns.items()]
    behind = Results([r for best in columns.values() for c in best.values() for r in c.records])
    return Table(
        f"glance-{information.name}",
        CAPTIONS[information.name],
        [Column("method"), *(Column(head, "error") for head in heads)],
        rows,
        run.made_by(behind) if rows else None,
        tints,
        notes,
    )


def _cost(competitor: Competitor, with_budget: bool) -> str:
    """The time of a method, and where there is room the budget of a net."""
    budget = competitor.budget if competitor.is_net and with_budget else ""
    return ", ".join(filter(None, (show(competitor.seconds_alone, "seconds"), budget)))


def _head(problem: str, competitor: Competitor) -> str:
    """The problem, and the samples where there are several kinds of them."""
    given = competitor.conditions
    return problem if given.samples is None else f"{problem} ({given_in_words(given)})"


def _place(columns: Mapping[str, Cells]) -> Callable[[str], tuple[float, str]]:
    """Rows are ordered by the mean rank of a method where it competes."""

    def place(name: str) -> tuple[float, str]:
        ranks = [[*best].index(name) / len(best) for best in columns.values() if name in best]
        return sum(ranks) / len(ranks), name

    return place


def best_of_series(field: Sequence[Competitor]) -> dict[str, Competitor]:
    """The most accurate member of every series, in the order of their errors."""
    found: dict[str, Competitor] = {}
    for competitor in sorted(field, key=lambda c: c.end_error):
        if math.isfinite(competitor.end_error):
            found.setdefault(competitor.declared.series, competitor)
    return found
