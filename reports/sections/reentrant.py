"""Where continuous fields go wrong: re-entrant edges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.claims.themes.reentrant import (
    KIND,
    elements_of,
    ends,
    main_arm,
    norm_of,
)
from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Value
from reports.figures.reentrant import field_and_error, story
from reports.tables import SEEDS, Measure, largest, medians_by, smallest

TITLE = "Re-entrant edges"
ORDER = 58
STUDY = "reentrant"
#: the arms of the figures, uniform points for both
SHOWN = {
    "net, boundary by penalty": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "net, boundary built in": {"boundary": "exact", "inside": "uniform"},
}
MOST_FRAMES = 12  # of the slider along the training
TEXT = (
    "The L-shaped prism has one re-entrant edge, at which u = ∇(r^(2/3) sin(2θ/3)) is singular. "
    "Continuous fields with the exact boundary values are a closed proper subspace there "
    "(M. Costabel, J. Math. Anal. Appl. 157, 1991): a method that minimises the energy among them "
    "converges to another field. Nédélec elements avoid this. The networks minimise the same "
    "energy at points, given curl u = 0, div u = 0 and the trace, never u. Graded and hp meshes "
    "are given the place of the edge."
)
CAPTIONS = {
    "story": "Left: relative L² error on the prism of finite elements against unknowns; N₀ "
    "uniform, N₀ graded and hp are best approximations, given the field, the others are given the "
    "equation. Right: loss and error of networks along their training; medians with bands over "
    "all seeds. Dotted: nodal elements on their finest mesh. The loss can be small, or fall, while "
    "the error stays.",
    "edge": "The field at the edge (arrows) and the size of its error (red) at x₃ = ½; of the "
    "networks the seed with the median error. On the page, the slider moves along the training.",
    "map": "Networks: losses, and L² errors relative to the norm of u, medians over seeds; an "
    "error below a quarter is called right.",
}
HEADS = ("field", "loss, boundary values", "points inside, at the edge", "width, points")


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    nets, norm = results.select(KIND), norm_of(results)
    blocks: list[Block] = []
    if norm is not None:
        blocks += [*_story(run, results, norm), *_edge(run, results)]
    if len(nets):
        source = run.source(STUDY, nets)
        name, caption = "reentrant-map", CAPTIONS["map"]
        blocks.append(medians_by(name, caption, HEADS, by_setting(nets), MEASURES, source))
    return [Paragraph(TEXT), *blocks] if blocks else []


def _story(run: Run, results: Results, norm: float) -> list[Block]:
    arms, elements = arms_of(results), elements_of(results)
    shown = {label: group for label, group in elements.items() if len(group)}
    if not arms and not shown:
        return []
    finest = max(elements["nodal P₁"], key=lambda record: record.values["dofs"], default=None)
    limit = None if finest is None else float(finest.values["l2_error"]) / norm
    draw, caption = partial(story, shown, arms, norm, limit), CAPTIONS["story"]
    return [Picture("reentrant-story", caption, draw, caption, run.source(STUDY, results))]


def arms_of(results: Results) -> dict[str, list[StoredResult]]:
    """The two kinds of nets that the figures show, with all their seeds."""
    found = {name: main_arm(results.select(KIND), **where) for name, where in SHOWN.items()}
    return {name: records for name, records in found.items() if records}


def _edge(run: Run, results: Results) -> list[Block]:
    """The field at the edge: two elements, and of each arm the net in the middle of its seeds."""
    shown = edge_fields(results)
    if not shown:
        return []
    caption, source = CAPTIONS["edge"], run.source(STUDY, results)
    draw = partial(field_and_error, shown)
    frames = max((len(r.arrays.get("frames", ())) for r in shown.values()), default=0)
    places = sorted({round(k * (frames - 1) / MOST_FRAMES) for k in range(MOST_FRAMES)})
    along = [partial(field_and_error, shown, place) for place in places] if frames else []
    return [Picture("reentrant-edge", caption, draw, caption, source, along)]


def edge_fields(results: Results) -> dict[str, StoredResult]:
    """By title, the results whose slice at the edge is drawn."""
    elements = elements_of(results)
    found = {
        "N₀ elements": _with_slice(elements["N₀ solved"]),
        "nodal elements": _with_slice(elements["nodal P₁"]),
        **{title: _middle(records) for title, records in arms_of(results).items()},
    }
    return {t: r for t, r in found.items() if r is not None and "slice" in r.arrays}


def _middle(records: Sequence[StoredResult]) -> StoredResult | None:
    ordered = sorted(records, key=lambda record: float(record.values["l2_relative"]))
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _with_slice(group: Results) -> StoredResult | None:
    """The largest mesh of at most 8 cells per unit length, which all have."""
    small = [record for record in group if record.config["n"] <= 8]
    return max(small, key=lambda record: record.config["n"], default=None)


def by_setting(nets: Results) -> dict[tuple[str, ...], Results]:
    """Runs that differ by their seed, under a few words for each part of their setting."""
    groups: dict[tuple[str, ...], list[StoredResult]] = {}
    for record in nets:
        c = record.config
        loss = f"{c['form']}, {'built in' if c['boundary'] == 'exact' else 'penalty'}"
        key = (c["problem"], loss, f"{c['inside']}, {c['rim']}", f"{c['width']}, {c['points']}")
        groups.setdefault(key, []).append(record)
    return {key: Results(records) for key, records in groups.items()}


def _ends(group: Results) -> Value:
    return ", ".join(f"{count} {end}" for end, count in ends(list(group)).items() if count)


MEASURES: tuple[Measure, ...] = (
    SEEDS,
    ("loss at its points", "error", "training_loss"),
    ("loss, fine rule", "error", "fine_loss"),
    ("relative L² error, whole domain", "number", "l2_relative"),
    smallest("l2_relative"),
    largest("l2_relative"),
    ("certified bound", "number", "relative_l2_bound"),
    ("ends", "text", _ends),
)
