"""The fair comparison: by track, at equal error, at equal information."""

from __future__ import annotations

from bench.store.results import Results
from reports.contenders import TOLD, Contender, contenders, contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Section, Table, Value
from reports.matching import Match, Reached, families, matching_mesh, soonest_net
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
    Column("L² cube", "error"),
    Column("curl error", "error"),
    Column("div norm", "error"),
    Column("seconds", "seconds"),
    Column("search", "seconds"),
    Column("per point", "seconds"),
]

TITLES = {
    "fit": "Told samples only (track: fit)",
    "oracle": "Best approximation, an oracle (track: oracle)",
    "solve": "Told the equation, not the field (track: solve)",
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
        "machine named under environment; a search among settings has a column of its own."
    )
    return [Paragraph(text), *(_problem(run, problem) for problem in problems)]


def _problem(run: Run, problem: str) -> Section:
    field = contenders(run.results, problem)
    blocks: list[Block] = [
        _table(run, problem, track, [c for c in field if c.track == track])
        for track in ("fit", "solve", "oracle")
        if any(c.track == track for c in field)
    ]
    blocks.extend(_equal_error(run, problem, field))
    blocks.extend(_nets_at_equal_error(run, problem, field))
    return Section(f"Comparison on {problem}", blocks)


def _table(run: Run, problem: str, track: str, field: list[Contender]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            c.name,
            c.features,
            c.appearance.samples,
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
        f"{TITLES[track]}, problem {problem}. Told: {TOLD[track]}.",
        COLUMNS,
        rows,
        run.made_by(records),
    )


def _equal_error(run: Run, problem: str, field: list[Contender]) -> list[Block]:
    """For every net and baseline: the mesh on which an element reaches the same error."""
    told = [c for c in field if c.track == "fit" and c.error]
    elements = families(run.results, problem)
    if not told or not elements:
        return []
    columns = [Column("method"), Column("L² cube", "error"), Column("its seconds", "seconds")]
    for title in elements:
        columns += [
            Column(f"n of {title}"),
            Column("unknowns", "count"),
            Column("seconds", "seconds"),
        ]
    rows = []
    for c in sorted(told, key=lambda c: c.error or 0.0):
        assert c.error is not None
        row: list[Value] = [c.name, c.error, c.seconds]
        for meshes in elements.values():
            row += _match(matching_mesh(c.error, meshes))
        rows.append(row)
    return [
        Table(
            f"equal-error-{problem}",
            f"At equal error, problem {problem}: the mesh on which best approximation reaches the "
            "method's error on the cube (h = √3/n). A mesh marked ≈ lies beyond the finest one "
            "solved, by one refinement at most: the last measured rate is carried on. Further than "
            "that nothing is said. The elements are oracles, the methods were told samples.",
            columns,
            rows,
            run.made_by(Results([r for meshes in elements.values() for r in meshes])),
        )
    ]


def _nets_at_equal_error(run: Run, problem: str, field: list[Contender]) -> list[Block]:
    """The other way round: for every lowest-order mesh, the net that reaches its error soonest."""
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
            f"The other way round, problem {problem}: the net that first reaches the error of each "
            "mesh of N₀ tetrahedra, by its recorded curve (median over seeds; a tuned net with its "
            "whole search). The mesh is an oracle, the net was told samples.",
            columns,
            rows,
            run.made_by(Results([*meshes, *(r for c in field if c.is_net for r in c.records)])),
        )
    ]


def _reached(found: Reached | None) -> tuple[Value, ...]:
    if found is None:
        return ("none in this run", None, None)
    return (found.net.name, found.seconds, f"{found.seeds} of {found.net.seeds}")


def _match(match: Match | None) -> list[Value]:
    if match is None:
        return [None, None, None]
    unknowns = None if match.unknowns is None else round(match.unknowns)
    return [match.label, unknowns, match.seconds]
