"""Where continuous fields go wrong: re-entrant edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from reports.document import Block, Paragraph, Picture, Source, Value
from reports.figures.curves import Axes, Curve, Figure, Panel, draw_panels, last_seen
from reports.figures.reentrant import field_and_error
from reports.tables import SEEDS, Measure, grouped_by, largest, medians_by, smallest

TITLE = "Re-entrant edges"
ORDER = 58
STUDY = "reentrant"
#: the arms of the figures, uniform points for both
SHOWN = {
    "net, boundary by penalty": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "net, boundary built in": {"boundary": "exact", "inside": "uniform"},
}
KEYS = {
    "N₀ uniform": "finite element/N0",
    "N₀ graded": "finite element/N0/graded",
    "N₀ adaptive": "finite element/N0 adaptive",
    "hp bricks": "finite element/hexP",
    "nodal P₁": "finite element/nodalP1",
    "nodal P₁, r div": "finite element/nodalP1/weighted",
}
# of a curve along the training: its name on disk, what it is called, its look and dash
LINES = (
    ("curve_J", "loss, its points", "linear model/quadratic", "--"),
    ("curve_fine_loss", "loss, fine rule", "linear model/linear", "-"),
    ("curve_l2_error", "error, prism", "net/resnet", "-"),
)
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
    source = run.source(STUDY, results)
    if norm is not None:
        if arms_of(results) or any(map(len, elements_of(results).values())):
            draw = partial(story, results, norm)
            blocks.append(Picture("reentrant-story", CAPTIONS["story"], draw, source))
        blocks += _edge(results, source)
    groups, source = grouped_by(nets, _setting), run.source(STUDY, nets)
    table = medians_by("reentrant-map", CAPTIONS["map"], HEADS, groups, MEASURES, source)
    return [Paragraph(TEXT), *blocks, table]


def story(results: Results, norm: float) -> Figure:
    """Elements: error against unknowns. Nets, an arm a panel: loss and error along training. A line
    across all panels is where nodal elements have come to."""
    elements = {label: group for label, group in elements_of(results).items() if len(group)}
    curves = [_unknowns(label, group, norm) for label, group in elements.items() if label in KEYS]
    finest = max(elements.get("nodal P₁", []), key=_dofs, default=None)

    def limit(axes: Axes) -> None:
        if finest is not None:
            axes.axhline(finest.values["l2_error"] / norm, color="0.5", lw=0.8, ls=":")

    panels = [Panel("finite elements", "unknowns", curves, limit)] if curves else []
    for title, records in arms_of(results).items():
        panels.append(Panel(title, "evaluations", [*_training(records, norm)], limit))
    label = "relative L² error, prism; loss"
    return draw_panels(panels, label, height=2.6, columns=3, share="y", legend=5)


def _dofs(record: StoredResult) -> float:
    return float(record.values["dofs"])


def _unknowns(label: str, group: Results, norm: float) -> Curve:
    ordered = sorted(group, key=_dofs)
    errors = [record.values["l2_error"] / norm for record in ordered]
    keys = [[record.key] for record in ordered]
    return Curve(label, KEYS[label], [*map(_dofs, ordered)], errors, keys, {"markersize": 3})


def _training(records: Sequence[StoredResult], norm: float) -> Iterator[Curve]:
    """Losses and the error of all seeds that have them along their evaluations."""
    factors = {"curve_J": 2.0, "curve_l2_error": 1.0 / norm}
    for name, title, look, dash in LINES:
        found = [r.arrays for r in records if {name, "curve_evaluations"} <= r.arrays.keys()]
        if found:
            x, y = last_seen([(a["curve_evaluations"], a[name]) for a in found], smooth=True)
            keys = [[record.key for record in records]]
            yield Curve(title, look, x, factors.get(name, 1.0) * y, keys, {"linestyle": dash})


def arms_of(results: Results) -> dict[str, list[StoredResult]]:
    """The two kinds of nets that the figures show, with all their seeds."""
    found = {name: main_arm(results.select(KIND), **where) for name, where in SHOWN.items()}
    return {name: records for name, records in found.items() if records}


def _edge(results: Results, source: Source) -> list[Block]:
    """The field at the edge: two elements, and of each arm the net in the middle of its seeds."""
    shown = edge_fields(results)
    if not shown:
        return []
    draw = partial(field_and_error, shown)
    frames = max((len(r.arrays.get("frames", ())) for r in shown.values()), default=0)
    places = sorted({round(k * (frames - 1) / MOST_FRAMES) for k in range(MOST_FRAMES)})
    along = [partial(field_and_error, shown, place) for place in places] if frames else []
    return [Picture("reentrant-edge", CAPTIONS["edge"], draw, source, along)]


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


def _setting(record: StoredResult) -> tuple[str, ...]:
    """A few words for each part of a setting; runs that differ by their seed have the same."""
    c = record.config
    loss = f"{c['form']}, {'built in' if c['boundary'] == 'exact' else 'penalty'}"
    return c["problem"], loss, f"{c['inside']}, {c['rim']}", f"{c['width']}, {c['points']}"


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
