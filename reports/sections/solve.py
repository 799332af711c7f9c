"""Given the equation only: nets and finite elements for the same boundary-value problem."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.claims.facts.solve import problems
from bench.claims.themes.solve import best_nets
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Formula, Paragraph, Picture, Table, Value
from reports.figures.solve import work_precision
from reports.formatting import show
from reports.tables import DIVERGED, SEEDS, Measure, grouped, largest, medians_by, smallest

STUDY = "solve"

TITLE = "Given the equation only"
ORDER = 57
STUDIES = (STUDY,)
GAP = "no net and no element was given the equation in this run."
# What is the same in a race of optimisers: everything that `auto` has but the optimiser.
PLAIN = {"form": "strong", "boundary": "penalty"}


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    elements = results.select("fem", solve=True)
    nets = {p: group for p in problems(results) if len(group := best_nets(results, p))}
    if not nets or not len(elements):
        return []
    sources = Results([*(r for group in nets.values() for r in group), *elements])
    return [
        Paragraph(
            "Every method here is given f, φ and the boundary data g, never the field. The nets "
            "are physics-informed (PINNs): they minimise J with w = 100 at N quasi-random points "
            "inside and M on the boundary, chosen alike for every field ([[solve-work]])."
        ),
        LOSS,
        Picture(
            "solve-work",
            "L² error on the whole domain against seconds, one panel per field. Marks are meshes "
            "or orders; the orange curve is the best net along its training, median over seeds "
            "with a band over all.",
            partial(work_precision, list(nets), elements, nets),
            "L² error against seconds, one panel per field: finite elements by size, the best net "
            "along its training.",
            run.source(STUDY, sources),
        ),
        *_variants(run, results),
        *_race(run, results),
        *_exponential(run, elements),
    ]


LOSS = Formula(
    'J = 1/N sum_i abs(("curl" phi "curl" u - f) / phi - nabla "div" u)^2 (x_i) '
    '+ 1/N sum_i abs("div" u)^2 (x_i) + w/M sum_k abs(u times n - g)^2 (s_k)',
    "J is the mean square of the equation divided by phi, of the divergence, and w times that of "
    "the tangential boundary values.",
)


def _variants(run: Run, results: Results) -> list[Block]:
    """The paper's four variants: does τ or γ matter when the equation is given?"""
    nets = results.select("solved_net", optimizer="auto", **PLAIN)
    fewest = min((r.config["evaluations"] for r in nets), default=None)
    nets = Results([r for r in nets if r.config["evaluations"] == fewest])
    if fewest is None:
        return []
    caption = (
        f"The paper's variants after {fewest:g} evaluations of J each, with as many parameters "
        "apart from the step sizes τ; errors on the whole domain, medians over seeds."
    )
    measures: list[Measure] = [
        ("parameters", "count", "parameters"),
        ("L² error", "error", "l2_error"),
        smallest("l2_error"),
        largest("l2_error"),
        ("certified error", "error", "l2_bound"),
        ("loss J", "error", "J"),
        ("gradient norm, first over last layer", "number", _first_to_last),
        DIVERGED,
    ]
    groups = dict(sorted(grouped(nets, "problem", "net", "tau").items()))
    source = run.source(STUDY, nets)
    return [medians_by("solve-variants", caption, ("field", "net", "τ"), groups, measures, source)]


def _first_to_last(group: Results) -> Value:
    """Gradient norms of the first weights against the last, at the end of the history."""
    ends = [
        r.arrays["history_grad_W"][-1] for r in group if len(r.arrays.get("history_grad_W", ()))
    ]
    ratios = [float(norms[0] / norms[-1]) for norms in ends if norms[-1] > 0]
    return median(ratios) if ratios else None


def _race(run: Run, results: Results) -> list[Block]:
    nets = results.select("solved_net", **PLAIN)
    racers = Results([r for r in nets if r.config["optimizer"] != "auto"])
    groups = grouped(racers, "optimizer")
    if len(groups) < 2:
        return []
    equal = min(median(group.value("seconds")) for group in groups.values())
    at_equal_time = {key: median(_error_at(r, equal) for r in g) for key, g in groups.items()}
    caption = (
        f"Optimisers on {racers.records[0].config['problem']}, with the same net, points and "
        f"starts. Equal time is {show(equal, 'seconds')}, when the fastest has finished."
    )
    measures: list[Measure] = [
        SEEDS,
        ("at equal time", "error", lambda g: median(_error_at(r, equal) for r in g)),
        ("L² error at the end", "error", "l2_error"),
        ("seconds", "seconds", "seconds"),
        ("evaluations", "count", "evaluations"),
    ]
    ordered = {key: groups[key] for key in sorted(groups, key=lambda key: at_equal_time[key])}
    source = run.source(STUDY, racers)
    return [medians_by("solve-race", caption, ("optimiser",), ordered, measures, source)]


def _error_at(record: StoredResult, seconds: float) -> float:
    """The last error on the curve no later than this."""
    seen = np.asarray(record.arrays["curve_seconds"]) <= seconds
    errors = np.asarray(record.arrays["curve_l2_error"])[seen]
    return float(errors[-1]) if len(errors) else float("inf")


EXPONENTIAL = [
    Column("field"),
    Column("sizes", "count"),
    Column("b", "number"),
    Column("largest residual of log error", "number"),
    Column("smallest L² error", "error"),
    Column("unknowns", "count"),
]


def _exponential(run: Run, elements: Results) -> list[Block]:
    """error ≈ C exp(−b unknowns^{1/4}) on geometric layers, the order along the edge fixed."""
    rows: list[tuple[Value, ...]] = []
    layered = Results([r for r in elements if r.config["layers"]])
    for problem in layered.distinct("problem"):
        found = sorted(
            layered.select("fem", problem=problem), key=lambda record: record.values["dofs"]
        )
        if len(found) >= 3:
            x = np.array([r.values["dofs"] for r in found]) ** 0.25
            y = np.log([r.values["l2_error"] for r in found])
            slope, intercept = np.polyfit(x, y, 1)
            residual = float(np.abs(y - slope * x - intercept).max())
            last = found[-1].values
            rows.append(
                (problem, len(found), float(-slope), residual, last["l2_error"], last["dofs"])
            )
    if not rows:
        return []
    caption = (
        "Decay of the L² error of hp bricks, whose layers shrink towards the singular edge: a fit "
        "of exp(−b unknowns^(1/4)) to the logarithms; the order along the edge is fixed."
    )
    return [Table("solve-hp", caption, EXPONENTIAL, rows, run.source(STUDY, layered))]
