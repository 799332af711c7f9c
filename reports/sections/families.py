"""Families of problems: from how many queries does a surrogate pay?"""

from __future__ import annotations

from functools import partial

from bench.claims.break_even import ERRORS, BreakEven, break_evens, place_of
from bench.methods.surrogates.names import KINDS, METHODS
from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Source, Table, Value
from reports.figures.families import Panel, error_and_cost, errors_and_snapshots

TITLE = "Families: from how many queries does a surrogate pay?"
ORDER = 62
STUDY = "families"
TEXT = (
    "A family is curl(φ curl u) = f, div u = 0 with tangential trace g on the cube, where a "
    "parameter μ enters φ (`bump`: amplitude, then place, of a bump of width 0.2), f (`source`) or "
    "f and g (`shifted`, which has a closed form). Every query asks for another μ. A surrogate is "
    "made once, from solves at some μ (snapshots) or from the equation, and then asked. It is "
    "compared with one p-version solve per query, of the order and tolerance that just meet the "
    "required error; both use the same solver, and its set-up counts on neither side. A reduced "
    "basis uses the equation and the snapshots, a net trained on the equation uses no snapshots, "
    "all other surrogates use snapshots only. Errors are relative L² errors over the cube, the "
    "largest over μ that no method has seen, against a p-version of higher order. Times are CPU "
    "seconds on one thread."
)
COST = (
    "Largest relative L² error over unseen μ against the time of a query for one functional, the "
    "mean of the first component of u, on one thread. A point is a configuration. Left of the "
    "solves a surrogate answers faster than a solve of the same error."
)
SNAPSHOTS = (
    "Largest (full) and median (hollow) relative L² error over unseen μ against the number of "
    "snapshots. Curves level off at the error of the snapshots themselves."
)
TABLE = (
    "Queries from which a surrogate pays, Q = offline time / (time of a solve − time of a query), "
    "by required error; the smallest over the configurations that meet it, with the interval that "
    "the quartiles of the times give. Never: a query takes as long as a solve. A method that is "
    "missing does not meet the error in this run."
)
HEADS = (
    Column("family"), Column("dimension", "count"), Column("contrast", "number"),
    Column("required error, cube", "error"), Column("method"), Column("snapshots", "count"),
    Column("seeds", "count"), Column("offline", "seconds"), Column("query", "seconds"),
    Column("solve", "seconds"), Column("queries"), Column("interval"),
)  # fmt: skip


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    if not len(results.select("family_solve")):
        return []
    source, panels = run.source(STUDY, results), panels_of(results)
    return [
        Paragraph(TEXT),
        Picture("family-cost", COST, partial(error_and_cost, panels), COST, source),
        Picture("family-snapshots", SNAPSHOTS, partial(errors_and_snapshots, panels), SNAPSHOTS,
                source),
        paying(results, source),
    ]  # fmt: skip


def panels_of(results: Results) -> dict[str, Panel]:
    """What figures draw, by family, dimension and contrast."""
    panels: dict[str, Panel] = {}
    for record in results.select("family_solve", element="hexP"):
        panels.setdefault(_title(record), Panel()).solves.append(record)
    for record in results.select("family_surrogate"):
        if record.values.get("error_worst") is not None:
            method = record.config["method"]
            key = (METHODS.get(method, method), f"{KINDS.get(method, 'surrogate')}/{method}")
            panel = panels.setdefault(_title(record), Panel())
            panel.surrogates.setdefault(key, []).append(record)
    return dict(sorted(panels.items()))


def _title(record: StoredResult) -> str:
    family, dimension, contrast = place_of(record)
    return f"{family}, dimension {dimension}, contrast {contrast:g}"


def paying(results: Results, source: Source | None = None) -> Table:
    """The table of break-even points."""
    rows = [_row(one) for required in ERRORS for one in break_evens(results, required)]
    return Table("family-queries", TABLE, HEADS, rows, source)


def _row(one: BreakEven) -> tuple[Value, ...]:
    method, _, steps = one.method.partition(", ")
    title = METHODS.get(method, method) + (f", {steps}" if steps else "")
    low, high = map(_count, one.interval)
    return (
        *one.place, one.required, title, one.snapshots, one.seeds, one.offline, one.query[0],
        one.solve[0], _count(one.queries), f"{low} – {high}",
    )  # fmt: skip


def _count(queries: float) -> str:
    return "never" if queries == float("inf") else f"{queries:,.0f}"
