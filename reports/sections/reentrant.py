"""Where continuous fields go wrong: the re-entrant edge."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from bench.claims.reentrant import INDICATORS, WRONG_ABOVE, end_of, ends, warned
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.reentrant import along_training, beside_the_edge, story

STUDY = "reentrant"

TITLE = "Re-entrant edges"
ORDER = 58
STUDIES = (STUDY,)
RISEN = 2.0  # of the fine loss over its lowest value along a training
GAP = "nothing has been computed on the L-shaped prism in this run."
IN_ARTICLE = (("reentrant-story",),)
SHOWN = {
    "net, penalty, uniform": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "net, built in, uniform": {"boundary": "exact", "inside": "uniform"},
    "net, built in, graded": {"boundary": "exact", "inside": "graded"},
}


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    nets = results.select("reentrant_net")
    elements = groups(results)
    if not len(nets) or not len(elements["nodal Q₁"]) or not len(elements["N₀ graded"]):
        return []
    norm = float(nets.records[0].values["norm"])
    blocks: list[Block] = [
        Paragraph(
            "The L-shaped prism has one re-entrant edge, and u = ∇(r^{2/3} sin(2θ/3)) is singular "
            "at it. Fields that are continuous and have the boundary values exactly are a closed "
            "proper subspace there (Costabel 1991): a method that minimises the energy among "
            "them converges, and to another field. Nédélec's elements were made not to. The nets "
            "minimise the same energy, told curl u = 0, div u = 0 and the trace, never u."
        ),
        Picture(
            "reentrant-story",
            _first_sentence(elements, nets, norm),
            partial(story, elements, nets, norm),
            "Relative error against unknowns for edge elements and nodal elements, and against "
            "the loss for all nets.",
            run.source(STUDY, results),
        ),
        Table("reentrant-elements", _caption_elements(elements, norm), ELEMENTS,
              element_rows(elements, norm), run.source(STUDY, results)),
    ]  # fmt: skip
    blocks += _pictures(run, elements, nets, norm)
    blocks.append(
        Table("reentrant-map", _caption_map(nets), MAP, map_rows(nets), run.source(STUDY, nets))
    )
    blocks += [Paragraph(_off_the_floor(nets)), Paragraph(_indicator(nets))]
    return blocks


def headline(run: Run) -> str:
    """What happens at a re-entrant edge."""
    results = run.results_of(STUDY)
    nets, elements = results.select("reentrant_net"), groups(results)
    if not len(nets) or not len(elements["nodal Q₁"]) or not len(elements["N₀ graded"]):
        return ""
    norm = float(nets.records[0].values["norm"])
    return "**At a re-entrant edge do not trust a small loss.** " + _first_sentence(
        elements, nets, norm
    )


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


def _relative(record: StoredResult, norm: float) -> float:
    return float(record.values["l2_error"]) / norm


def _finest(group: Results) -> StoredResult:
    return max(group, key=lambda record: record.values["dofs"])


def _first_sentence(elements: dict[str, Results], nets: Results, norm: float) -> str:
    wrong = _relative(_finest(elements["nodal Q₁"]), norm)
    right = _relative(_finest(elements["N₀ graded"]), norm)
    built_in = _median(nets.select("reentrant_net", boundary="exact"))
    penalty = _median(
        nets.select("reentrant_net", boundary="penalty", div_exponent=0.0, singular=False)
    )
    return (
        f"Nodal elements stay {100 * wrong:.0f} % wrong however fine the mesh, Nédélec's on graded "
        f"meshes go down to {100 * right:.1f} %; nets with the boundary values built in end at "
        f"{100 * built_in:.0f} % in the median and with a penalty at {100 * penalty:.0f} %."
    )


def _median(group: Results) -> float:
    found = group.errors("l2_relative")
    return median(found) if found else math.nan


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
    change = abs(_relative(nodal[-1], norm) / _relative(nodal[0], norm) - 1)
    return (
        f"Over all its refinements the error of nodal Q₁ changes by {100 * change:.0f} % while its "
        "energy converges; the weight r on the divergence brings it down."
    )


MAP = [
    Column("boundary at the edge"),
    Column("points inside"),
    Column("points at the edge"),
    Column("width", "count"),
    Column("seeds", "count"),
    Column("loss at its points", "error"),
    Column("loss, fine rule", "error"),
    Column("relative L² error", "error"),
    Column("smallest", "error"),
    Column("largest", "error"),
    Column("ends"),
]


def map_rows(nets: Results) -> list[tuple[Value, ...]]:
    """Medians over seeds, a diverged run counting as infinite."""
    found: dict[tuple[Value, ...], list[StoredResult]] = {}
    for record in nets:
        config = record.config
        name = "built in" if config["boundary"] == "exact" else "penalty"
        name += ", r div" if config["div_exponent"] else ""
        name += ", told the singular function" if config["singular"] else ""
        key: tuple[Value, ...] = (
            name, config["inside"], config["rim"], int(config["width"])
        )  # fmt: skip
        found.setdefault(key, []).append(record)
    rows: list[tuple[Value, ...]] = []
    for key, records in found.items():
        group = Results(records)
        errors = group.errors("l2_relative")
        counted = [f"{count} {end}" for end, count in ends(records).items() if count]
        rows.append(
            (
                *key,
                len(records),
                median(group.errors("training_loss")),
                median(group.errors("fine_loss")),
                median(errors),
                min(errors),
                max(errors),
                ", ".join(counted),
            )
        )
    return rows


def _caption_map(nets: Results) -> str:
    counted = ends(list(nets))
    said = ", ".join(f"{count} at {end}" for end, count in counted.items())
    return f"Where {len(nets)} nets end: {said} (right: below {WRONG_ABOVE:g} of u)."


def _pictures(run: Run, elements: dict[str, Results], nets: Results, norm: float) -> list[Block]:
    chosen = []
    for title, where in SHOWN.items():
        group = [
            record
            for record in nets.select("reentrant_net", div_exponent=0.0, singular=False, **where)
            if not record.values.get("diverged")
        ]
        if group:
            chosen.append((title, group[0]))
    fields = [("N₀", elements["N₀ solved"]), ("nodal Q₁", elements["nodal Q₁"])]
    slices = [(title, _with_slice(group)) for title, group in fields if len(group)]
    pictures = [(title, record) for title, record in slices if record is not None] + chosen
    blocks: list[Block] = []
    if chosen:
        blocks.append(
            Picture(
                "reentrant-training",
                "What the loss says along training, and what is true: a loss that stalls at a "
                "floor or falls between its points, beside the error, which it does not know.",
                partial(along_training, chosen, norm),
                "Loss at the points, loss by a fine rule, and relative error against evaluations.",
                run.source(STUDY, nets),
            )
        )
    if pictures:
        blocks.append(
            Picture(
                "reentrant-edge",
                "The field about the edge (arrows) over the size of its error (red), at x₃ = ½.",
                partial(beside_the_edge, pictures),
                "Arrows of the exact field, of finite elements and of nets near the edge.",
                run.source(STUDY, nets),
            )
        )
    return blocks


def _off_the_floor(nets: Results) -> str:
    """How many nets left the floor of the loss between their points, and where that led."""
    left: list[StoredResult] = []
    for record in nets:
        fine = np.asarray(record.arrays["curve_fine_loss"])[1:]
        if len(fine) and fine[-1] > RISEN * fine.min():
            left.append(record)
    right = sum(end_of(record) == "right" for record in left)
    stayed = [record for record in nets if record not in left]
    stayed_right = sum(end_of(record) == "right" for record in stayed)
    return (
        f"In {len(left)} of {len(nets)} nets the loss by the fine rule ended above {RISEN:g} times "
        "its lowest value while the loss at the points of training went on falling: they left the "
        f"floor of the energy between their points. {right} of these ended right, "
        f"{len(left) - right} wrong; of the {len(stayed)} that stayed, {stayed_right} ended right. "
        "Where they go from there is decided by the points, not by the loss."
    )


def _with_slice(group: Results) -> StoredResult | None:
    """The largest mesh of at most 8 cells per unit length, which all have."""
    small = [record for record in group if record.config["n"] <= 8]
    return max(small, key=lambda record: record.config["n"], default=None)


def _indicator(nets: Results) -> str:
    counts = {name: [0, 0, 0, 0] for name in INDICATORS}
    for record in nets:
        wrong, said = warned(record)
        for name, warns in said.items():
            counts[name][2 * wrong + warns] += 1
    parts = [
        f"{name}: warns in {hit} of {hit + miss} wrong ends and falsely in {false} of "
        f"{false + quiet} right ones"
        for name, (quiet, false, miss, hit) in counts.items()
    ]
    beside = nets.records[0].values
    factor = beside["coarse_estimate"] / beside["coarse_error"]
    return (
        "What a user without u can compute. A net is suspect if the loss at held-out points is ten "
        "times the loss at its own; if the field v, tested with the gradients of a coarse mesh, "
        f"sup (v, ∇q)/‖∇q‖, gives more than {WRONG_ABOVE:g} ‖v‖ (a lower bound of the error, which "
        "never warns of what is right); or if it is farther from a coarse N₀ solve than that "
        f"solve's own estimate of its error (here {factor:.1f} times the error). Over "
        f"{len(nets)} nets: {'; '.join(parts)}."
    )
