"""All methods by track: at equal information, in one norm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import Competitor, competitors, contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Section, Table, Value
from reports.fields import Fields
from reports.figures.comparison import work_precision
from reports.names import SECONDS

TITLE = "Fair comparison"
ORDER = 30
STUDIES = ()  # whatever competes
GAP = ""

COLUMNS = [
    Column("method"),
    Column("inputs or data"),
    Column("samples", "count"),
    Column("seeds", "count"),
    Column("unknowns", "count"),
    Column("L² training domain", "error"),
    Column("L² outside it", "error"),
    Column("L² whole domain", "error"),
    Column("curl error", "error"),
    Column("div norm", "error"),
    Column("seconds", "seconds"),
    Column("search", "seconds"),
    Column("per point", "seconds"),
]

TITLES = {
    "samples": "Methods that are given samples only (track: fit)",
    "equation": "Methods that are given the equation, not the field (track: solve)",
}


def contents(run: Run) -> list[Block | Section]:
    problems = contested(run.results)
    if not problems:
        return []
    text = (
        "Errors are in the L² norm: of nets and linear models by quadrature that follows the "
        "domain, of finite elements on their own cells; both agree to 1e-6 where both apply. The "
        "methods of a table are given the same. Samples lie in the training domain only, for the "
        f"cube a cylinder; the error outside it is extrapolation. {SECONDS} The search for "
        "settings has a column of its own. Methods that are given the field are in the section on "
        "finite elements. A 6-50 net has 6 hidden layers of width 50."
    )
    parts = [part for problem in problems for part in _problem(run, problem)]
    return [Paragraph(text), *_work(run), _methods(run, problems), *parts]


def _methods(run: Run, problems: Sequence[str]) -> Table:
    """What each method is given and how its settings were chosen, the same words once."""
    declared = [c.declared for name in problems for c in competitors(run.results, name)]
    rows = dict.fromkeys((d.series, d.family, d.given, d.tuned) for d in declared)
    columns = [Column(title) for title in ("method", "family", "given", "tuned")]
    caption = "What each method is given, and how its settings were chosen."
    return Table("methods", caption, columns, list(rows))


def _work(run: Run) -> list[Block]:
    """All methods on the first problem in one figure."""
    fields = Fields.of(run)
    assert fields.main is not None
    field = fields.by_problem[fields.main]
    caption = (
        f"Work and precision on {fields.main}: L² error on the whole domain against seconds and "
        "unknowns. Solid lines (oracle) are given the field, dotted lines (solved) the equation, "
        "single marks samples in the training domain: do not compare across these kinds. Methods "
        "without an error on the whole domain are not drawn."
    )
    source = run.made_by(Results([r for c in field for r in c.records]))
    return [Picture("work-precision", caption, partial(work_precision, field), caption, source)]


def _problem(run: Run, problem: str) -> list[Section]:
    field = competitors(run.results, problem)
    blocks: list[Block] = []
    if fitted := [c for c in field if c.information == "samples"]:
        blocks.append(_table(run, problem, "samples", fitted))
    if solving := [c for c in field if c.information == "equation"]:
        blocks.append(_table(run, problem, "equation", _best_of_series(solving)))
    return [Section(f"Comparison on {problem}", blocks)] if blocks else []


def _best_of_series(field: Sequence[Competitor]) -> list[Competitor]:
    """Of an element its best size, all of which are under finite elements; every net."""
    found: dict[str, Competitor] = {}
    for c in field:
        key = c.name if c.is_net else c.declared.series
        best = found.get(key)
        if best is None or (c.error or inf) < (best.error or inf):
            found[key] = c
    return list(found.values())


def _table(run: Run, problem: str, track: str, field: Sequence[Competitor]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            c.name,
            c.features,
            c.declared.samples,
            c.seeds,
            c.unknowns,
            *(c.median(f"l2_error_{part}") for part in ("inside", "outside")),
            c.error,
            *(c.median(name) for name in ("curl_error", "div_norm")),
            c.seconds_alone,
            c.tuning,
            c.median("seconds_per_point"),
        )
        for c in sorted(field, key=lambda c: c.error or inf)
    ]
    given = INFORMATION[track].given
    caption = f"{TITLES[track]}, problem {problem}: medians over seeds. Given: {given}."
    source = run.made_by(Results([r for c in field for r in c.records]))
    return Table(f"{track}-{problem}", caption, COLUMNS, rows, source)
