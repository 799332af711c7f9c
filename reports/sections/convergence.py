"""Finite elements: error against mesh size, with the nets as horizontal lines."""

from __future__ import annotations

import re
from functools import partial

from bench.measure.rates import observed_rate
from bench.store.results import Results, StoredResult, competitor
from reports.context import Run
from reports.document import Block, Column, Formula, Paragraph, Picture, Section, Table, Value
from reports.figures.convergence import error_against_h
from reports.names import element_title

TITLE = "Finite elements"
ORDER = 50
STUDIES = ("convergence", "elements")
GAP = "no finite-element results in this run."

COLUMNS = [
    Column("element"),
    Column("n", "count"),
    Column("h", "number"),
    Column("unknowns", "count"),
    Column("L² error", "exact"),
    Column("rate", "rate"),
    Column("H(curl) error", "exact"),
    Column("rate", "rate"),
    Column("iterations", "count"),
    Column("seconds", "seconds"),
]


SOLVED = ("n", "dofs", "l2_error", "hcurl_error", "estimated_error", "effectivity", "seconds")
SOLVED_COLUMNS = [
    Column("element"),
    Column("n", "count"),
    Column("unknowns", "count"),
    Column("L² error", "exact"),
    Column("H(curl) error", "exact"),
    Column("estimated error", "error"),
    Column("effectivity", "rate"),
    Column("seconds", "seconds"),
]


def contents(run: Run) -> list[Block | Section]:
    fem = run.results.select("fem", solve=False, grading=None, order=None)
    known = set(fem.distinct("problem"))
    solved = set(run.results.select("fem", solve=True).distinct("problem")) - known
    parts = [Section(f"Elements on {problem}", _blocks(run, problem)) for problem in sorted(known)]
    parts += [
        Section(f"Elements on {problem}", _solved(run, problem)) for problem in sorted(solved)
    ]
    return [*(_introduction() if known else ()), *parts]


def _introduction() -> list[Block]:
    return [
        Paragraph(
            "Best approximation u_h of u in H(curl): given the field, the best that a mesh can do. "
            "N₀ and N₁ are Nédélec elements of lowest and next order; the p-version raises the "
            "order p, hp adds thin layers at singular edges; n is the number of cells per unit "
            "length."
        ),
        Formula(
            '("curl" u_h, "curl" v) + (u_h, v) = ("curl" u, "curl" v) + (u, v) '
            'quad "for all" v in N_0',
            "The curl and mass products of u_h and v equal those of u and v for all v in N_0.",
        ),
    ]


def _blocks(run: Run, problem: str) -> list[Block]:
    fem = run.results.select("fem", problem=problem, solve=False, grading=None, order=None)
    best = run.results.select("fem", problem=problem, solve=False)
    # The paper's nets and the record: other studies train the same nets by other optimisers.
    trained = [*run.results_of("training"), *run.results_of("record")]
    nets = Results(trained).select("net", problem=problem, features="x,f,phi")
    caption = (
        "L² error on the whole domain against the mesh size h on uniform meshes, problem "
        f"{problem}. A net has no mesh size: its error is a horizontal line, the median over its "
        "seeds, with a band over all of them; thin lines are nets with bias ordering."
    )
    name, draw = f"error-against-h-{problem}", partial(error_against_h, fem, nets)
    return [
        Picture(name, caption, draw, caption, run.made_by(Results([*fem, *nets]))),
        Table(
            f"convergence-{problem}",
            f"Best approximation, problem {problem}: errors on the whole domain, rates in h.",
            COLUMNS,
            _rows(best),
            run.made_by(best),
        ),
        *_solved(run, problem),
    ]


def _solved(run: Run, problem: str) -> list[Block]:
    """The boundary-value problem, with the error that the method itself estimates."""
    solved = run.results.select("fem", problem=problem, solve=True)
    if not len(solved):
        return []
    rows = [
        (_title(record), *(record.values.get(name) for name in SOLVED))
        for series in _families(solved)
        for record in series
    ]
    return [
        Table(
            f"solved-{problem}",
            f"Boundary-value problem, {problem}: given f, φ and the boundary data (track: solve), "
            "errors on the whole domain. The estimate is the method's own, from residuals and "
            f"jumps; effectivity is the estimate over the true error.{_unknown(solved)}",
            SOLVED_COLUMNS,
            rows,
            run.source("boundary_value", solved),
        )
    ]


def _unknown(solved: Results) -> str:
    """Whether no result has an error, because u is not known."""
    if any(value is not None for value in solved.value("l2_error")):
        return ""
    return " No closed form of u is known, so there is only the estimate."


def _rows(best: Results) -> list[tuple[Value, ...]]:
    """By family and size; a rate only between uniform meshes of one element."""
    rows: list[tuple[Value, ...]] = []
    for series in _families(best):
        for index, record in enumerate(series):
            before = series[index - 1] if index and _is_uniform(record) else None
            rows.append(
                (
                    _title(record),
                    *(record.values.get(name) for name in ("n", "h", "dofs", "l2_error")),
                    _rate(before, record, "l2_error"),
                    record.values.get("hcurl_error"),
                    _rate(before, record, "hcurl_error"),
                    record.values.get("iterations"),
                    record.values["seconds"],
                )
            )
    return rows


def _families(results: Results) -> list[list[StoredResult]]:
    """Uniform meshes first; then graded ones, orders and layers, each by its unknowns."""
    groups: dict[tuple[bool, str], list[StoredResult]] = {}
    for record in sorted(results, key=lambda r: (r.config["element"], r.values.get("dofs") or 0)):
        shown = competitor(record)
        series = shown.series if shown else str(record.config["element"])
        groups.setdefault((not _is_uniform(record), series), []).append(record)
    return [groups[key] for key in sorted(groups)]


def _is_uniform(record: StoredResult) -> bool:
    """Whether h says how fine the mesh is."""
    return not any(record.config[name] for name in ("grading", "order", "layers", "refine"))


def _title(record: StoredResult) -> str:
    """Its name without the number of cells, which has a column."""
    shown = competitor(record)
    return re.sub(r"\s*n=\d+$", "", shown.title) if shown else element_title(record)


def _rate(before: StoredResult | None, record: StoredResult, name: str) -> float | None:
    """Between a mesh and the one before it."""
    if before is None or name not in before.values or name not in record.values:
        return None
    return observed_rate(before.values, record.values, name)
