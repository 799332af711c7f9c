"""Given samples of the field: nets, linear models and fitted elements from the same data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.store.results import Results
from reports.competitors import Competitor, by_problem, same_conditions
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.rows import Row, rows_in_groups
from reports.sections.glance import best_of_series

TITLE = "Given samples of the field"
ORDER = 30
STUDIES = ("baselines", "strong_nets")
MOST = 4  # methods of a field in the figure
TEXT = (
    "Samples are drawn in the training domain, which for the cube is the cylinder r ≤ 1; the part "
    "of the cube outside tests extrapolation. All methods of a group have the same samples. A "
    "linear model is least squares, interpolation or regression with functions that are fixed "
    "before: polynomials, kernels, random features."
)
CAPTION = (
    "L² error where the samples lie: the most accurate methods of each field, the best network "
    "among them. Orange: networks; grey: linear models; blue: finite elements."
)
WHERE = "L² error where the samples lie, medians over seeds"
COLUMNS = [
    Column("field"),
    Column("method"),
    Column("seeds", "count"),
    Column("unknowns", "count"),
    Column("L² error where the samples lie", "error"),
    Column("L² error, whole domain", "error"),
    Column("budget"),
    Column("time", "seconds"),
    Column("search", "seconds"),
    Column("chosen by validation"),
]


def contents(run: Run) -> list[Block]:
    shown = shown_fields(run.results)
    if not shown:
        return []
    source = run.made_by(Results([r for f in shown.values() for c in f for r in c.records]))
    draw = partial(rows_in_groups, figure_rows(shown), WHERE)
    caption = "The methods of the figure: medians over seeds, times without the search."
    return [
        Paragraph(TEXT),
        Picture("samples", CAPTION, draw, source),
        Table("samples-methods", caption, COLUMNS, _rows(shown), source),
    ]


def shown_fields(results: Results) -> dict[str, list[Competitor]]:
    """By problem the most accurate series under one set of conditions, the best net among them."""
    found = {}
    for problem, field in by_problem(results).items():
        best = list(best_of_series(same_conditions(field, "samples")).values())
        nets = [c for c in best if c.is_net][:1]
        others = [c for c in best if c not in nets][: MOST - len(nets)]
        if nets or others:
            found[problem] = sorted([*nets, *others], key=lambda c: c.end_error)
    return found


def figure_rows(shown: dict[str, list[Competitor]]) -> dict[str, list[Row]]:
    """A group of rows per field."""
    return {
        problem: [Row(c.declared.series, c.look, c.end_error, keys=c.keys) for c in field]
        for problem, field in shown.items()
    }


def _rows(shown: dict[str, list[Competitor]]) -> Sequence[Sequence[Value]]:
    return [
        (problem, c.declared.series, c.seeds, c.unknowns, c.end_error, c.error,
         c.method.budget, c.seconds_alone, c.search, c.declared.tuned)
        for problem, field in shown.items()
        for c in field
    ]  # fmt: skip
