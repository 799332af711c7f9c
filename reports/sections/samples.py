"""Given samples of the field: nets, linear models and fitted elements from the same data."""

from __future__ import annotations

from functools import partial

from bench.store.results import Results
from reports.competitors import Competitor, by_problem, same_conditions
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.rows import Row, rows_in_groups
from reports.sections.glance import best_of_series
from reports.tables import Entry, table_of

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
ENTRIES: list[Entry] = [
    ("field", "text", lambda c: c.conditions.problem),
    ("method", "text", lambda c: c.series),
    ("seeds", "count", lambda c: c.seeds),
    ("unknowns", "count", lambda c: c.unknowns),
    ("L² error where the samples lie", "error", lambda c: c.end_error),
    ("L² error, whole domain", "error", lambda c: c.error),
    ("budget", "text", lambda c: c.budget),
    ("time", "seconds", lambda c: c.seconds_alone),
    ("search", "seconds", lambda c: c.search),
    ("chosen by validation", "text", lambda c: c.declared.tuned),
]
TABLE = "The methods of the figure: medians over seeds, times without the search."


def contents(run: Run) -> list[Block]:
    shown = shown_fields(run.results)
    methods = [competitor for field in shown.values() for competitor in field]
    source = run.made_by(Results([record for c in methods for record in c.records]))
    return [
        Paragraph(TEXT),
        Picture("samples", CAPTION, partial(rows_in_groups, figure_rows(shown), WHERE), source),
        table_of("samples-methods", TABLE, methods, ENTRIES, source),
    ]


def shown_fields(results: Results) -> dict[str, list[Competitor]]:
    """By problem the most accurate series under one set of conditions, the best net among them.
    Methods whose settings were searched before the run, at a cost that is not counted, are left out
    where a net chooses its own."""
    found = {}
    for problem, every in by_problem(results).items():
        fair = [c for c in every if c.declared.search != "elsewhere"]
        field = fair if any(c.is_net for c in fair) else every
        best = list(best_of_series(same_conditions(field, "samples")).values())
        nets = [c for c in best if c.is_net][:1]
        others = [c for c in best if c not in nets][: MOST - len(nets)]
        if nets or others:
            found[problem] = sorted([*nets, *others], key=lambda c: c.end_error)
    return found


def figure_rows(shown: dict[str, list[Competitor]]) -> dict[str, list[Row]]:
    """A group of rows per field."""
    return {
        problem: [Row(c.series, c.look, c.end_error, keys=c.keys) for c in field]
        for problem, field in shown.items()
    }
