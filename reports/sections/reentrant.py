"""Where continuous fields go wrong: re-entrant edges."""

from __future__ import annotations

import math
from functools import partial

from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.reentrant import beside_the_edge, story
from reports.formatting import number
from reports.sections import _reentrant_losses as losses
from reports.sections import _reentrant_nets as of_nets
from reports.sections import _reentrant_warnings as warnings

STUDY = "reentrant"

TITLE = "Re-entrant edges"
ORDER = 58
STUDIES = (STUDY,)
GAP = "nothing has been computed beside re-entrant edges in this run."
IN_ARTICLE = (("reentrant-story",),)
#: the arms of the story, uniform points for both
SHOWN = {
    "net, by penalty": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "net, built in": {"boundary": "exact", "inside": "uniform"},
}


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    if not len(results):
        return []
    nets, elements = results.select(of_nets.KIND), groups(results)
    norm = _norm(nets, elements)
    blocks: list[Block] = [
        Paragraph(
            "The L-shaped prism has one re-entrant edge, and u = ∇(r^(2/3) sin(2θ/3)) is singular "
            "at it. Fields that are continuous and have the boundary values exactly are a closed "
            "proper subspace there (Costabel 1991): a method that minimises the energy among "
            "them converges, and to another field. Nédélec's elements were made not to. The nets "
            "minimise the same energy, told curl u = 0, div u = 0 and the trace, never u; remedies "
            "and relatives (`reentrant3d`, `fichera`) are told other forms of the equation."
        )
    ]
    if norm is not None:
        blocks += _story(run, results, elements, nets, norm)
        blocks += _pictures(run, elements, nets)
        rows = element_rows(elements, norm)
        if rows:
            source = run.source(STUDY, results)
            caption = _caption_elements(elements, norm)
            blocks.append(Table("reentrant-elements", caption, ELEMENTS, rows, source))
    blocks += of_nets.map_blocks(run, nets)
    blocks += losses.blocks(run, nets)
    blocks += of_nets.relative_blocks(run, nets)
    judged = of_nets.usable(nets)
    if judged:
        blocks += warnings.blocks(judged, run.source(STUDY, nets))
    return blocks if len(blocks) > 1 else []


def headline(run: Run) -> str:
    """What happens at a re-entrant edge."""
    results = run.results_of(STUDY)
    nets, elements = results.select(of_nets.KIND), groups(results)
    norm = _norm(nets, elements)
    if norm is None or not len(of_nets.on_the_prism(nets)):
        return ""
    told = losses.wrong_and_sure(of_nets.usable(of_nets.on_the_prism(nets)))
    begin = "At a re-entrant edge a small loss may be a wrong field" if told else TITLE
    more = f" {told}" if told else ""
    return f"**{begin}.** {first_sentence(elements, nets, norm)}{more}"


def groups(results: Results) -> dict[str, Results]:
    """The elements by what the figure calls them."""
    best = {"problem": "reentrant", "solve": False}
    edge = results.select("edge_solve")
    fem = results.select("fem", **best)
    return {
        "N₀ uniform": fem.select("fem", element="N0", grading=None, refine=None),
        "N₀ graded": Results([r for r in fem.select("fem", element="N0") if r.config["grading"]]),
        "N₀ adaptive": Results(
            [r for r in results.select("fem", problem="reentrant") if r.config["refine"]]
        ),
        "hp bricks": fem.select("fem", element="hexP"),
        "nodal P₁": edge.select("edge_solve", element="nodalP1", div_exponent=None),
        "nodal Q₁": edge.select("edge_solve", element="nodalQ", div_exponent=None),
        "nodal Q₁, r div": edge.select("edge_solve", element="nodalQ", div_exponent=1.0),
        "N₀ solved": edge.select("edge_solve", element="N0"),
    }


def _norm(nets: Results, elements: dict[str, Results]) -> float | None:
    """‖u‖ of `reentrant`, from any result that says it."""
    for record in of_nets.on_the_prism(nets):
        if record.values.get("norm"):
            return float(record.values["norm"])
    for group in elements.values():
        for record in group:
            error, relative = (record.values.get(name) for name in ("l2_error", "l2_relative"))
            if error and relative:
                return float(error) / float(relative)
    return None


def _relative(record: StoredResult, norm: float) -> float:
    return float(record.values["l2_error"]) / norm


def _finest(group: Results) -> StoredResult | None:
    return max(group, key=lambda record: record.values["dofs"], default=None)


def _reached(group: Results, norm: float) -> float | None:
    finest = _finest(group)
    return None if finest is None else _relative(finest, norm)


def first_sentence(elements: dict[str, Results], nets: Results, norm: float) -> str:
    """Who ends where, as far as it is known."""
    wrong = _reached(elements["nodal Q₁"], norm)
    solved = [_reached(elements[name], norm) for name in ("N₀ solved", "N₀ adaptive")]
    right = min((error for error in solved if error is not None), default=None)
    parts = []
    if wrong is not None:
        parts.append(f"nodal elements are {100 * wrong:.0f} % wrong on their finest mesh")
    if right is not None:
        parts.append(f"Nédélec's, on meshes made for it, {100 * right:.1f} %")
    for words, name in (("by penalty", "penalty"), ("with built-in values", "exact")):
        arm = of_nets.main_arm(nets, boundary=name, inside="uniform", rim="uniform")
        if arm:
            end = median([record.values["l2_relative"] for record in arm])
            seeds = "one seed" if len(arm) == 1 else f"the median of {len(arm)} seeds"
            parts.append(f"nets {words} end at {100 * end:.0f} % ({seeds})")
    said = "; ".join(parts) or "nothing is known yet"
    return said[0].upper() + said[1:] + "."


def _story(
    run: Run, results: Results, elements: dict[str, Results], nets: Results, norm: float
) -> list[Block]:
    arms = {title: of_nets.main_arm(nets, **where) for title, where in SHOWN.items()}
    arms = {title: records for title, records in arms.items() if records}
    known = any(len(group) for label, group in elements.items() if label != "N₀ solved")
    if not arms and not known:
        return []
    limit = _reached(elements["nodal Q₁"], norm)
    return [
        Picture(
            "reentrant-story",
            first_sentence(elements, nets, norm)
            + _losses_said(arms)
            + " N₀ uniform, N₀ graded and hp bricks are best approximations, told the field; all "
            "others were told the equation. Medians, and bands over all seeds; dotted: the error "
            "that nodal Q₁ has come to.",
            partial(story, elements, arms, norm, limit),
            "Relative error of finite elements against unknowns; loss and relative error of nets "
            "along training, boundary values by penalty and built in.",
            run.source(STUDY, results),
        )
    ]


def _losses_said(arms: dict[str, list[StoredResult]]) -> str:
    """What the loss says at the end, at its points and by the fine rule."""
    parts = []
    for title, records in arms.items():
        own, fine = (
            number(median([record.values[name] for record in records]))
            for name in ("training_loss", "fine_loss")
        )
        parts.append(f"{title}, {own} at its points and {fine} by a fine rule")
    return f" The loss ends at: {'; '.join(parts)}." if parts else ""


ELEMENTS = [
    Column("method"),
    Column("cells per unit length or steps", "count"),
    Column("unknowns", "count"),
    Column("relative L² error", "error"),
    Column("rate in unknowns^(1/3)", "rate"),
    Column("energy", "number"),
    Column("iterations", "count"),
]


def element_rows(elements: dict[str, Results], norm: float) -> list[tuple[Value, ...]]:
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
                (label, int(steps), int(dofs), error, rate, record.values.get("energy"),
                 record.values.get("iterations"))
            )  # fmt: skip
            before = (error, dofs)
    return rows


def _caption_elements(elements: dict[str, Results], norm: float) -> str:
    nodal = sorted(elements["nodal Q₁"], key=lambda record: record.values["dofs"])
    if len(nodal) < 2:
        return "Finite elements beside the edge; energies are those of nodal elements."
    change = abs(_relative(nodal[-1], norm) / _relative(nodal[0], norm) - 1)
    energies = [record.values.get("energy") for record in (nodal[0], nodal[-1])]
    said = f"Over all its refinements the error of nodal Q₁ changes by {100 * change:.0f} %"
    if None not in energies:
        said += f" and its energy goes from {energies[0]:.3g} to {energies[1]:.3g}"
    cured = _reached(elements["nodal Q₁, r div"], norm)
    return said + (f"; with the weight r on the divergence it is {cured:.2g}." if cured else ".")


def _pictures(run: Run, elements: dict[str, Results], nets: Results) -> list[Block]:
    """The field about the edge: two elements, and of each extreme of the map and of the weak form
    the net in the middle of its seeds."""
    fields = [("N₀", elements["N₀ solved"]), ("nodal Q₁", elements["nodal Q₁"])]
    found = [(title, _with_slice(group)) for title, group in fields]
    for title, where in of_nets.EXTREMES.items():
        arm = of_nets.main_arm(nets, **where)
        found.append((f"net, {title}", _middle(arm)))
    weak = of_nets.main_arm(nets, form="weak", boundary="exact")
    found.append(("net, built in, weak form", _middle(weak)))
    shown = [
        (title, record)
        for title, record in found
        if record is not None and "slice" in record.arrays
    ]
    if not shown:
        return []
    return [
        Picture(
            "reentrant-edge",
            "The field about the edge (arrows) over the size of its error (red), at x₃ = ½; of "
            "nets the one in the middle of its seeds.",
            partial(beside_the_edge, shown),
            "Arrows of the exact field, of finite elements and of nets near the edge.",
            run.source(STUDY, nets),
        )
    ]


def _middle(records: list[StoredResult]) -> StoredResult | None:
    ordered = sorted(records, key=lambda record: float(record.values["l2_relative"]))
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _with_slice(group: Results) -> StoredResult | None:
    """The largest mesh of at most 8 cells per unit length, which all have."""
    small = [record for record in group if record.config["n"] <= 8]
    return max(small, key=lambda record: record.config["n"], default=None)
