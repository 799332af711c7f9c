"""Errors bounded without the solution: how far certificates are from true errors."""

from __future__ import annotations

from functools import partial

from bench.claims.certified import bounded, ratio, violated
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.certificates import bounds_against_errors

TITLE = "Errors certified without the solution"
ORDER = 58.5
TEXT = (
    "A certificate bounds the error of a field from f, φ, ρ and the boundary data alone, never "
    "from u. Nets are bounded by their own residuals, elements on bricks by fluxes of one order "
    "more; both and all other elements also by their distance from a p- or hp-solution that has a "
    "certificate itself. Here u is known, so that every bound can be compared with the true error "
    "([[certificates-bounds]]). A digit is certified where the bound is proved and "
    "that of the relative error is below 1."
)
COLUMNS = [
    Column("field"),
    Column("methods"),
    Column("fields", "count"),
    Column("true L² error, whole domain", "error"),
    Column("certified bound", "error"),
    Column("bound over error", "ratio"),
    Column("own bound over error", "ratio"),
    Column("no digit certified", "count"),
    Column("violated", "count"),
]


def contents(run: Run) -> list[Block]:
    records = [r for study in ("solve", "reentrant") for r in bounded(run.results_of(study))]
    if not records:
        return []
    groups = {
        "nets": [r for r in records if r.kind.endswith("net")],
        "elements": [r for r in records if not r.kind.endswith("net")],
    }
    source = run.made_by(Results(records))
    picture = Picture(
        "certificates-bounds",
        "Bound of the L² error against the true L² error, on the whole domain, one mark per field; "
        "on the line both are equal, and a mark below it would refute a bound. Left: by the "
        "field's own residuals, or recovered fluxes; right: the best bound.",
        partial(bounds_against_errors, {k: v for k, v in groups.items() if v}),
        "Bounds of L² errors against true L² errors of nets and elements, with the diagonal.",
        source,
    )
    caption = (
        "Certificates by field and methods: medians of the true L² error on the whole domain, of "
        "its certified bound and of their ratios; fields of which no digit is certified, and "
        "bounds below the true error."
    )
    rows = [row for label, group in groups.items() for row in _rows(label, group)]
    table = Table("certificates-table", caption, COLUMNS, sorted(rows, key=str), source)
    return [Paragraph(TEXT), picture, table]


def _rows(label: str, records: list[StoredResult]) -> list[tuple[Value, ...]]:
    by_problem: dict[str, list[StoredResult]] = {}
    for record in records:
        by_problem.setdefault(str(record.config["problem"]), []).append(record)
    return [(problem, label, *_measures(group)) for problem, group in by_problem.items()]


def _measures(group: list[StoredResult]) -> tuple[Value, ...]:
    own = [value for r in group if (value := ratio(r, "own_l2_bound")) is not None]
    return (
        len(group),
        median([r.values["l2_error"] for r in group]),
        median([r.values["l2_bound"] for r in group]),
        median([ratio(r) for r in group]),
        median(own) if own else None,
        sum(not r.values["certified"] for r in group),
        len(violated(group)),
    )
