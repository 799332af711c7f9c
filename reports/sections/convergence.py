"""Finite elements: error against mesh size, with the nets as levels."""

from __future__ import annotations

import re
from functools import partial

from bench.claims.statistics import observed_rate
from bench.store.results import Results, StoredResult, competitor
from reports.context import Run
from reports.document import Block, Column, Formula, Paragraph, Picture, Section, Table, Value
from reports.figures.convergence import error_against_h
from reports.formatting import count, listed, scientific
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
    told = set(fem.distinct("problem"))
    solved = set(run.results.select("fem", solve=True).distinct("problem")) - told
    parts = [Section(f"Elements on {problem}", _blocks(run, problem)) for problem in sorted(told)]
    parts += [
        Section(f"Elements on {problem}", _solved(run, problem)) for problem in sorted(solved)
    ]
    return [*(_introduction() if told else ()), *parts]


def _introduction() -> list[Block]:
    return [
        Paragraph(
            "Best approximation of the known field in H(curl), without boundary conditions: an "
            "oracle line, because the method is told the field everywhere. The error is measured "
            "by the same rules as the nets' error."
        ),
        Formula(
            '("curl" u_h, "curl" v) + (u_h, v) = ("curl" u, "curl" v) + (u, v) '
            'quad "for all" v in N_0',
            "The curl and mass products of u_h and v equal those of u and v for all v in N_0.",
        ),
    ]


def _blocks(run: Run, problem: str) -> list[Block]:
    fem = run.results.select("fem", problem=problem, solve=False, grading=None, order=None)
    told = run.results.select("fem", problem=problem, solve=False)
    # The paper's nets and the record: other studies train the same nets by other optimisers.
    trained = [*run.results_of("training"), *run.results_of("record")]
    nets = Results(trained).select("net", problem=problem, features="x,f,phi")
    both = Results([*fem, *nets])
    levels = (
        " Nets do not depend on h: each is one level, the median over its seeds, with a band over "
        "all of them; thin lines have bias ordering."
    )
    return [
        Paragraph(_sentence(fem)),
        Picture(
            f"error-against-h-{problem}",
            f"{_sentence(fem)} L² error against the mesh size on uniform meshes, problem {problem}."
            f"{levels if len(nets) else ''}",
            partial(error_against_h, fem, nets),
            f"Error against mesh size for problem {problem}: {_sentence(fem)}",
            run.made_by(both),
        ),
        Table(
            f"convergence-{problem}",
            f"Convergence of the best approximation, problem {problem}.",
            COLUMNS,
            _rows(told),
            run.made_by(told),
        ),
        *_solved(run, problem),
    ]


def _solved(run: Run, problem: str) -> list[Block]:
    """The boundary-value problem, with the error that the method itself estimates."""
    solved = run.results.select("fem", problem=problem, solve=True)
    if not len(solved):
        return []
    rows = [
        (
            _title(record),
            *(record.values.get(name) for name in SOLVED),
        )
        for series in _families(solved)
        for record in series
    ]
    return [
        Table(
            f"solved-{problem}",
            f"The boundary-value problem solved, problem {problem}: told f, φ and the boundary "
            "data (track: solve). The estimate is the method's own, from residuals and jumps; "
            f"effectivity is the estimate over the true error.{_unknown(solved)}",
            SOLVED_COLUMNS,
            rows,
            run.source("boundary_value", solved),
        )
    ]


def _unknown(solved: Results) -> str:
    """Where no result has an error, nobody knows u."""
    if any(value is not None for value in solved.value("l2_error")):
        return ""
    return " No closed form is known: the estimate is the error that there is."


def _sentence(fem: Results) -> str:
    """The finest mesh of each element and the rate that leads to it."""
    parts = []
    for element in fem.distinct("element"):
        rows = _by_n(fem, element)
        last = rows[-1].values
        rate = _rate(rows[-2], rows[-1], "l2_error") if len(rows) > 1 else None
        tail = f" at rate {rate:.2f}" if rate is not None else ""
        parts.append(
            f"{element_title(rows[-1])} {scientific(last['l2_error'], 1)} with "
            f"{count(last['dofs'])} unknowns{tail}"
        )
    return f"Smallest L² errors: {listed(parts)}."


def _by_n(fem: Results, element: str) -> list[StoredResult]:
    return list(Results([r for r in fem if r.config["element"] == element]).sorted_by("n"))


def _rows(told: Results) -> list[tuple[Value, ...]]:
    """By family and size; a rate only between uniform meshes of one element."""
    rows: list[tuple[Value, ...]] = []
    for series in _families(told):
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


def _families(told: Results) -> list[list[StoredResult]]:
    """Uniform meshes first; then graded ones, orders and layers, each by its unknowns."""
    groups: dict[tuple[bool, str], list[StoredResult]] = {}
    for record in sorted(told, key=lambda r: (r.config["element"], r.values.get("dofs") or 0)):
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
