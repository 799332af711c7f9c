"""The fair comparison: by track, at equal error, at equal information."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import Competitor, Reached, competitors, contested, soonest_net
from reports.context import Run
from reports.document import Block, Column, Paragraph, Section, Table, Value
from reports.names import SECONDS

TITLE = "Fair comparison"
ORDER = 30
STUDIES = ()  # whatever competes
GAP = ""
MAIN = "maxwell"  # the paper's field, on which it sets nets beside elements that are told more

COLUMNS = [
    Column("method"),
    Column("inputs or data"),
    Column("samples", "count"),
    Column("seeds", "count"),
    Column("unknowns", "count"),
    Column("L² training domain", "error"),
    Column("L² outside it", "error"),
    Column("L² cube", "error"),
    Column("curl error", "error"),
    Column("div norm", "error"),
    Column("seconds", "seconds"),
    Column("search", "seconds"),
    Column("per point", "seconds"),
]

TITLES = {
    "samples": "Told samples only (track: fit)",
    "equation": "Told the equation, not the field (track: solve)",
}


def contents(run: Run) -> list[Block | Section]:
    problems = contested(run.results)
    if not problems:
        return []
    text = (
        "One norm measures every method, the L² norm on the whole domain: nets and baselines by "
        "rules that follow the domain, finite elements by rules on their own cells, which agree to "
        "1e-6 where both apply. What a method was told differs, so each table keeps to one track. "
        "Nets and baselines saw the field in the training part only; their error there is the "
        f"headline, what lies outside is extrapolation and stands apart. {SECONDS} They are of the "
        "machine named under environment; a search among settings has a column of its own. What "
        "was told the field itself is under finite elements."
    )
    return [Paragraph(text), *(part for problem in problems for part in _problem(run, problem))]


def _problem(run: Run, problem: str) -> list[Section]:
    field = competitors(run.results, problem)
    blocks: list[Block] = []
    if fitted := [c for c in field if c.information == "samples"]:
        blocks.append(_table(run, problem, "samples", fitted))
    if solving := [c for c in field if c.information == "equation"]:
        blocks.append(_table(run, problem, "equation", _best_of_series(solving)))
    if problem == MAIN:
        blocks.extend(_nets_at_equal_error(run, problem, field))
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
            c.median("l2_error_inside"),
            c.median("l2_error_outside"),
            c.error,
            c.median("curl_error"),
            c.median("div_norm"),
            c.seconds_alone,
            c.tuning,
            c.median("seconds_per_point"),
        )
        for c in sorted(field, key=lambda c: c.error or float("inf"))
    ]
    records = Results([r for c in field for r in c.records])
    return Table(
        f"{track}-{problem}",
        f"{TITLES[track]}, problem {problem}. Told: {INFORMATION[track].given}.",
        COLUMNS,
        rows,
        run.made_by(records),
    )


def _nets_at_equal_error(run: Run, problem: str, field: list[Competitor]) -> list[Block]:
    """For every lowest-order mesh, the net that reaches its error soonest."""
    meshes = run.results.select("fem", problem=problem, element="N0", solve=False, grading=None)
    if not len(meshes) or not any(c.is_net for c in field):
        return []
    rows: list[tuple[Value, ...]] = []
    for record in meshes.sorted_by("n"):
        values = record.values
        mesh = [values[name] for name in ("n", "h", "dofs", "l2_error", "seconds")]
        rows.append((*mesh, *_reached(soonest_net(values["l2_error"], field))))
    columns = [
        Column("n", "count"),
        Column("h", "number"),
        Column("unknowns", "count"),
        Column("L² cube", "error"),
        Column("its seconds", "seconds"),
        Column("soonest net"),
        Column("its seconds", "seconds"),
        Column("reached in"),
    ]
    return [
        Table(
            f"net-at-equal-error-{problem}",
            f"The paper's comparison at equal error, problem {problem}: the net that first reaches "
            "the error of each mesh of N₀ tetrahedra, by its recorded curve (median over seeds; a "
            "tuned net with its whole search). The two were told different things: the mesh the "
            "field, the net samples or the equation.",
            columns,
            rows,
            run.made_by(Results([*meshes, *(r for c in field if c.is_net for r in c.records)])),
        )
    ]


def _reached(found: Reached | None) -> tuple[Value, ...]:
    if found is None:
        return ("none in this run", None, None)
    return (found.net.name, found.seconds, f"{found.seeds} of {found.net.seeds}")
