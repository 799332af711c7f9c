"""Where continuous fields go wrong: re-entrant edges."""

from __future__ import annotations

import math
from functools import partial

from bench.claims.themes.reentrant import KIND, elements_of, main_arm, norm_of
from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.reentrant import beside_the_edge, story
from reports.sections import _reentrant_nets as of_nets

STUDY = "reentrant"

TITLE = "Re-entrant edges"
ORDER = 58
STUDIES = (STUDY,)
GAP = "nothing was computed at re-entrant edges in this run."
#: the arms of the figure, uniform points for both
SHOWN = {
    "net, by penalty": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "net, built in": {"boundary": "exact", "inside": "uniform"},
}


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    if not len(results):
        return []
    nets, elements, norm = results.select(KIND), elements_of(results), norm_of(results)
    lead = Paragraph(
        "The L-shaped prism has one re-entrant edge, at which u = ∇(r^(2/3) sin(2θ/3)) is "
        "singular. Continuous fields with the exact boundary values are a closed proper subspace "
        "there (Costabel 1991): a method that minimises the energy among them converges to another "
        "field. Nédélec elements avoid this. The nets minimise the same energy, given curl u = 0, "
        "div u = 0 and the trace, never u; other losses and the related problems `reentrant3d` and "
        "`fichera` are given other forms of the equation."
    )
    blocks: list[Block] = []
    if norm is not None:
        blocks += [*_story(run, results, norm), *_pictures(run, elements, nets)]
        rows = element_rows(elements, norm)
        if rows:
            caption = (
                "Finite elements on the prism, by size: L² error relative to the norm of u, and "
                "the relative error that a certificate proves, where one was computed. "
                "Energies are those of nodal elements."
            )
            source = run.source(STUDY, results)
            blocks.append(Table("reentrant-elements", caption, ELEMENTS, rows, source))
    blocks += of_nets.blocks(run, nets)
    return [lead, *blocks] if blocks else []


def _relative(record: StoredResult, norm: float) -> float:
    return float(record.values["l2_error"]) / norm


def _story(run: Run, results: Results, norm: float) -> list[Block]:
    nets, elements = results.select(KIND), elements_of(results)
    arms = {title: main_arm(nets, **where) for title, where in SHOWN.items()}
    arms = {title: records for title, records in arms.items() if records}
    known = any(len(group) for label, group in elements.items() if label != "N₀ solved")
    if not arms and not known:
        return []
    finest = max(elements["nodal Q₁"], key=lambda record: record.values["dofs"], default=None)
    limit = None if finest is None else _relative(finest, norm)
    return [
        Picture(
            "reentrant-story",
            "Relative L² error on the prism of finite elements against unknowns; loss and error of "
            "nets along training, with boundary values by a penalty and exact (built in). N₀ "
            "uniform, N₀ graded and hp bricks are best approximations, given the field; all others "
            "are given the equation. Medians and bands over all seeds; dotted: nodal Q₁ on its "
            "finest mesh.",
            partial(story, elements, arms, norm, limit),
            "Relative error of finite elements against unknowns; loss and relative error of nets "
            "along training, boundary values by penalty and built in.",
            run.source(STUDY, results),
        )
    ]


ELEMENTS = [
    Column("method"),
    Column("cells per unit length or steps", "count"),
    Column("unknowns", "count"),
    Column("relative L² error", "error"),
    Column("certified", "error"),
    Column("rate in unknowns^(1/3)", "rate"),
    Column("energy", "number"),
    Column("iterations", "count"),
]


def element_rows(elements: dict[str, Results], norm: float) -> list[tuple[Value, ...]]:
    """By method and size, with the rate from the size before."""
    rows: list[tuple[Value, ...]] = []
    for label, group in elements.items():
        before: tuple[float, float] | None = None
        for record in sorted(group, key=lambda record: record.values["dofs"]):
            error, dofs = _relative(record, norm), float(record.values["dofs"])
            rate = None
            if before is not None and dofs > before[1]:
                rate = 3 * math.log(before[0] / error) / math.log(dofs / before[1])
            steps = record.config.get("layers") or record.config.get("refine") or record.config["n"]
            rows.append(
                (label, int(steps), int(dofs), error, record.values.get("relative_l2_bound"), rate,
                 record.values.get("energy"), record.values.get("iterations"))
            )  # fmt: skip
            before = (error, dofs)
    return rows


def _pictures(run: Run, elements: dict[str, Results], nets: Results) -> list[Block]:
    """The field at the edge: two elements, and of each extreme of the map and of the weak form the
    net in the middle of its seeds."""
    fields = [("N₀", elements["N₀ solved"]), ("nodal Q₁", elements["nodal Q₁"])]
    found = [(title, _with_slice(group)) for title, group in fields]
    for title, where in of_nets.EXTREMES.items():
        found.append((f"net, {title}", _middle(main_arm(nets, **where))))
    weak = main_arm(nets, form="weak", boundary="exact")
    found.append(("net, built in, weak form", _middle(weak)))
    shown = [(title, r) for title, r in found if r is not None and "slice" in r.arrays]
    if not shown:
        return []
    caption = (
        "The field at the edge (arrows) and the size of its error (red), at x₃ = ½; of each kind "
        "of net the seed with the median error."
    )
    draw = partial(beside_the_edge, shown)
    return [Picture("reentrant-edge", caption, draw, caption, run.source(STUDY, nets))]


def _middle(records: list[StoredResult]) -> StoredResult | None:
    ordered = sorted(records, key=lambda record: float(record.values["l2_relative"]))
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _with_slice(group: Results) -> StoredResult | None:
    """The largest mesh of at most 8 cells per unit length, which all have."""
    small = [record for record in group if record.config["n"] <= 8]
    return max(small, key=lambda record: record.config["n"], default=None)
