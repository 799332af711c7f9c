"""Finite elements: error against mesh size, with the nets as levels."""

from __future__ import annotations

from functools import partial

from bench.statistics import observed_rate
from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Column, Formula, Paragraph, Picture, Section, Table
from reports.figures.convergence import error_against_h
from reports.formatting import scientific
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
    Column("mesh"),
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
    # The paper's nets and the record: other studies train the same nets by other optimisers.
    told = [*run.results_of("training"), *run.results_of("record")]
    nets = Results(told).select("net", problem=problem, features="x,f,phi")
    both = Results([*fem, *nets])
    return [
        Paragraph(_sentence(fem)),
        Picture(
            f"error-against-h-{problem}",
            f"L² error on the unit cube against the mesh size, problem {problem}. Nets do not "
            "depend on h: each is one level, the median over its seeds, with a band over all of "
            "them; thin lines have bias ordering.",
            partial(error_against_h, fem, nets),
            f"Error against mesh size for problem {problem}: {_sentence(fem)}",
            run.source("convergence", both),
        ),
        Table(
            f"convergence-{problem}",
            f"Convergence of the best approximation, problem {problem}.",
            COLUMNS,
            [row for element in fem.distinct("element") for row in _rows(fem, element)],
            run.source("convergence", fem),
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
            element_title(record),
            "graded" if record.config["grading"] else "uniform",
            *(record.values.get(name) for name in SOLVED),
        )
        for record in sorted(solved, key=_family_and_size)
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


def _family_and_size(record: StoredResult) -> tuple[str, bool, int]:
    return record.config["element"], bool(record.config["grading"]), record.config["n"]


def _sentence(fem: Results) -> str:
    """The finest mesh of each element and the rate that leads to it."""
    parts = []
    for element in fem.distinct("element"):
        rows = _by_n(fem, element)
        last = rows[-1].values
        rate = _rate(rows, len(rows) - 1, "l2_error")
        tail = f", reached at rate {rate:.2f}" if rate is not None else ""
        parts.append(
            f"{element_title(rows[-1])}: {scientific(last['l2_error'])} with "
            f"{last['dofs']:,} unknowns (n = {last['n']}){tail}"
        )
    return "Smallest L² errors: " + "; ".join(parts) + "."


def _by_n(fem: Results, element: str) -> list[StoredResult]:
    return list(Results([r for r in fem if r.config["element"] == element]).sorted_by("n"))


def _rows(fem: Results, element: str) -> list[tuple[str | int | float | None, ...]]:
    records = _by_n(fem, element)
    return [
        (
            element_title(record),
            *(record.values[name] for name in ("n", "h", "dofs", "l2_error")),
            _rate(records, index, "l2_error"),
            record.values["hcurl_error"],
            _rate(records, index, "hcurl_error"),
            record.values["iterations"],
            record.values["seconds"],
        )
        for index, record in enumerate(records)
    ]


def _rate(rows: list[StoredResult], index: int, name: str) -> float | None:
    """Between a mesh and the one before it."""
    return observed_rate(rows[index - 1].values, rows[index].values, name) if index else None
