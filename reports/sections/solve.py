"""Given the equation only: nets and finite elements for the same boundary-value problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from bench.methods.competitor import NETS
from bench.store.results import Results
from reports.competitors import Competitor, by_problem, same_conditions
from reports.context import Run
from reports.decision import Trial
from reports.document import Block, Formula, Paragraph, Picture, Value
from reports.figures.curves import Array, Curve, Figure, Panel, draw_panels, last_seen
from reports.tables import DIVERGED, SEEDS, Measure, known_median, largest, smallest, study_table

TITLE = "Given the equation"
ORDER = 57
STUDY = "solve"
MOST_SERIES = 6  # of a panel
LOWEST_ORDER = "N0"  # the element that every panel shows
ADAPTIVE = "adaptive"  # in the name of a series: dotted, where a graded mesh is dashed
SIZED = ("finite element", "untrained net")  # whose sizes are one curve
TEXT = (
    "Every method here is given f, φ and the boundary data g, never the field. The networks are "
    "physics-informed (PINNs): they minimise J with w = 100 at N quasi-random points inside and M "
    "on the boundary, chosen alike for every field. Graded and hp meshes are given the place of a "
    "singular edge; trained networks are not, untrained ones are."
)
LOSS = Formula(
    'J = 1/N sum_i abs(("curl" phi "curl" u - f) / phi - nabla "div" u)^2 (x_i) '
    '+ 1/N sum_i abs("div" u)^2 (x_i) + w/M sum_k abs(u times n - g)^2 (s_k)',
    "J is the mean square of the equation divided by phi, of the divergence, and w times that of "
    "the tangential boundary values.",
)
CAPTION = (
    "L² error on the whole domain against seconds, one panel per field. Blue: finite elements, a "
    "mark per mesh or order that no faster one of its kind beats, hollow with broken lines where "
    "the mesh is refined at singular edges; orange: the best network of each kind, median over "
    "seeds, trained ones along their training, untrained ones with a mark per number of features."
)
TABLE = (
    "Networks given the equation: L² errors on the whole domain and losses at the end, medians "
    "over seeds; first over last: norms of the gradient by the first and the last weights."
)
BY = {
    "field": "problem",
    "net": "net",
    "τ": "tau",
    "optimiser": "optimizer",
    "form": "form",
    "boundary": "boundary",
    "evaluations": "evaluations",
}


def contents(run: Run) -> list[Block]:
    fields = solved_fields(run.results)
    nets = run.results_of(STUDY).select("solved_net")
    behind = Results([r for field in fields.values() for c in field for r in c.records])
    ordered = Results(sorted(nets, key=lambda r: (r.config["problem"], r.config["net"])))
    return [
        Paragraph(TEXT),
        LOSS,
        Picture("solve-work", CAPTION, partial(work_precision, fields), run.made_by(behind)),
        study_table(run, STUDY, ordered, "solve-nets", TABLE, BY, MEASURES),
    ]


def solved_fields(results: Results) -> dict[str, list[Competitor]]:
    """By problem the methods that are given the equation, where nets meet elements."""
    found = {p: same_conditions(f, "equation") for p, f in by_problem(results).items()}
    return {p: field for p, field in found.items() if len({c.is_net for c in field}) == 2}


def work_precision(fields: Mapping[str, Sequence[Competitor]]) -> Figure:
    """L² error on the whole domain against seconds, one panel per problem: sizes of an element as
    one curve, the best net of each series along its training."""
    panels = [
        Panel(problem, "seconds, one thread", [_curve(*item) for item in chosen(field).items()])
        for problem, field in fields.items()
    ]
    return draw_panels(panels, "L² error, whole domain", height=2.15, legend=4)


def chosen(field: Sequence[Competitor]) -> dict[str, list[Competitor]]:
    """At most six curves: the lowest-order element, the best trained net, the best net of another
    family, and the series with the smallest errors; nets are last."""
    groups: dict[str, list[Competitor]] = {}
    for c in sorted(field, key=lambda c: c.end_error):
        if 0 < c.end_error < math.inf and (c.seconds_alone or 0.0) > 0:
            family, series = c.declared.family, c.declared.series
            groups.setdefault(f"{NETS[family]} net" if c.is_net else series, []).append(c)
    plain = [n for n, group in groups.items() if group[0].declared.look == LOWEST_ORDER]
    nets = [n for n, group in groups.items() if group[0].is_net]
    kept = dict.fromkeys([*plain[:1], *nets, *groups])
    shown = sorted([*kept][:MOST_SERIES], key=lambda name: groups[name][0].is_net)
    return {name: groups[name] for name in shown}


def _curve(name: str, group: Sequence[Competitor]) -> Curve:
    """Sizes of an element or an untrained net by their unknowns; of any other method the best."""
    first = group[0]
    if first.declared.family in SIZED:
        like = [c for c in group if c.declared.series == first.declared.series]
        sizes = sorted(like, key=lambda c: c.unknowns)
        sizes = sizes if first.is_net else _unbeaten(sizes)
        # The scale of random features is chosen again in every solve: it counts.
        x = [c.median("seconds") if first.is_net else c.seconds_alone for c in sizes]
        y = [c.end_error for c in sizes]
        style = {"markersize": 3} | ({"linestyle": ":"} if ADAPTIVE in name else {})
        return Curve(name, first.look, x, y, [c.keys for c in sizes], style)
    times, errors = median_curve(first.trials)
    style = {"marker": ""} if len(times) > 1 else {}
    return Curve(name, first.look, times, errors, [first.keys], style)


def _unbeaten(meshes: Sequence[Competitor]) -> list[Competitor]:
    """The meshes of a kind that no faster one beats, by time."""
    found: list[Competitor] = []
    for mesh in sorted(meshes, key=lambda c: c.seconds_alone or 0.0):
        if not found or mesh.end_error < found[-1].end_error:
            found.append(mesh)
    return found


def median_curve(trials: Sequence[Trial]) -> tuple[Array, Array]:
    """At common times, the lower median over seeds of the error last seen."""
    times, rows = last_seen([(trial.seconds, trial.errors) for trial in trials])
    middle = np.sort(rows, axis=0)[(len(rows) - 1) // 2]
    seen = np.isfinite(middle) & (middle > 0)
    return times[seen], middle[seen]


def _first_to_last(group: Results) -> Value:
    """Gradient norms of the first weights against the last, at the end of the history."""
    ends = [
        r.arrays["history_grad_W"][-1] for r in group if len(r.arrays.get("history_grad_W", ()))
    ]
    return known_median(float(norms[0] / norms[-1]) for norms in ends if norms[-1] > 0)


MEASURES: list[Measure] = [
    SEEDS,
    ("L² error, whole domain", "error", "l2_error"),
    smallest("l2_error"),
    largest("l2_error"),
    ("certified bound", "error", "l2_bound"),
    ("loss J", "error", "J"),
    ("first over last", "number", _first_to_last),
    DIVERGED,
    ("time", "seconds", "seconds"),
]
