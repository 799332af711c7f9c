"""Finite elements given the field: error against mesh size, with the nets as horizontal lines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from bench.measure.rates import observed_rate
from bench.store.results import Results, StoredResult, competitor
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.convergence import error_against_h

TITLE = "Finite elements by mesh size"
ORDER = 50
STUDIES = ("convergence", "elements")
TEXT = (
    "The best approximation u_h of u in H(curl) is given the field: it is the best that a mesh can "
    "do, (curl u_h, curl v) + (u_h, v) = (curl u, curl v) + (u, v) for all v of the space. N₀ and "
    "N₁ are Nédélec elements of lowest and next order."
)
NETS = (
    " A network has no mesh size, so its error is a horizontal line; it is given samples of the "
    "field, so this figure of the paper compares methods that are given different things."
)
CAPTION = (
    "L² error on the whole domain against the mesh size h (the diameter of a cell) on uniform "
    "meshes."
)
LINE = (
    " Horizontal line: the best network of the paper's kind, median over seeds; shaded: from the "
    "best to the worst of these networks."
)
COLUMNS = [
    Column("field"),
    Column("element"),
    Column("meshes", "count"),
    Column("finest n", "count"),
    Column("unknowns", "count"),
    Column("L² error, whole domain", "error"),
    Column("rate", "rate"),
    Column("H(curl) error, whole domain", "error"),
    Column("rate ", "rate"),
    Column("time", "seconds"),
]


def contents(run: Run) -> list[Block]:
    found = {p: uniform(run.results, p) for p in _problems(run.results)}
    if not any(map(len, found.values())):
        return []
    shown = {p: (fem, papers_nets(run, p)) for p, fem in found.items() if len(fem)}
    behind = Results([r for both in shown.values() for part in both for r in part])
    caption = (
        "Best approximations on uniform meshes: the finest mesh of each element, errors on the "
        "whole domain, rates in h between the two finest meshes."
    )
    source = run.made_by(behind)
    has_nets = any(len(nets) for _, nets in shown.values())
    drawn = CAPTION + LINE * has_nets
    return [
        Paragraph(TEXT + NETS * has_nets),
        Picture("error-against-h", drawn, partial(error_against_h, shown), drawn, source),
        Table("convergence", caption, COLUMNS, _rows(found), source),
    ]


def _problems(results: Results) -> list[str]:
    return list(results.select("fem", solve=False).distinct("problem"))


def uniform(results: Results, problem: str) -> Results:
    """Best approximations whose h says how fine the mesh is, with an error."""
    fem = results.select("fem", problem=problem, solve=False, grading=None, order=None)
    plain = [r for r in fem if not r.config["layers"] and not r.config["refine"]]
    return Results([r for r in plain if r.values.get("l2_error")])


def papers_nets(run: Run, problem: str) -> Results:
    """The nets that are trained as in the paper, by steepest descent on all inputs."""
    nets = run.results_of("training")
    return nets.select("net", problem=problem, features="x,f,phi", optimizer="steepest")


def _rows(found: Mapping[str, Results]) -> list[tuple[Value, ...]]:
    rows: list[tuple[Value, ...]] = []
    for problem, fem in found.items():
        for element in fem.distinct("element"):
            series = fem.select("fem", element=element).sorted_by("n").records
            last, before = series[-1], series[-2] if len(series) > 1 else None
            shown = competitor(last)
            name = shown.series if shown else element
            rows.append(
                (problem, name, len(series), *(last.values.get(v) for v in ("n", "dofs")),
                 last.values["l2_error"], _rate(before, last, "l2_error"),
                 last.values.get("hcurl_error"), _rate(before, last, "hcurl_error"),
                 last.values["seconds"])
            )  # fmt: skip
    return rows


def _rate(before: StoredResult | None, record: StoredResult, name: str) -> float | None:
    """Between a mesh and the one before it."""
    if before is None or name not in before.values or name not in record.values:
        return None
    return observed_rate(before.values, record.values, name)
