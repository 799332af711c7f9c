"""Given the equation only: nets and finite elements for the same boundary-value problem."""

from __future__ import annotations

from functools import partial

from bench.store.results import Results, median
from reports.competitors import Competitor, by_problem, same_conditions
from reports.context import Run
from reports.document import Block, Formula, Paragraph, Picture, Value
from reports.figures.solve import work_precision
from reports.tables import DIVERGED, SEEDS, Measure, largest, smallest, study_table

TITLE = "Given the equation"
ORDER = 57
STUDY = "solve"
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
    "mark per mesh or order; orange: the best network along its training, median over seeds."
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
    blocks: list[Block] = [Paragraph(TEXT), LOSS]
    if fields:
        behind = Results([r for field in fields.values() for c in field for r in c.records])
        draw = partial(work_precision, fields)
        blocks.append(Picture("solve-work", CAPTION, draw, CAPTION, run.made_by(behind)))
    if len(nets):
        ordered = Results(sorted(nets, key=lambda r: (r.config["problem"], r.config["net"])))
        blocks.append(study_table(run, STUDY, ordered, "solve-nets", TABLE, BY, MEASURES))
    return blocks if len(blocks) > 2 else []


def solved_fields(results: Results) -> dict[str, list[Competitor]]:
    """By problem the methods that are given the equation, where nets meet elements."""
    found = {p: same_conditions(f, "equation") for p, f in by_problem(results).items()}
    return {p: field for p, field in found.items() if len({c.is_net for c in field}) == 2}


def _first_to_last(group: Results) -> Value:
    """Gradient norms of the first weights against the last, at the end of the history."""
    ends = [
        r.arrays["history_grad_W"][-1] for r in group if len(r.arrays.get("history_grad_W", ()))
    ]
    ratios = [float(norms[0] / norms[-1]) for norms in ends if norms[-1] > 0]
    return median(ratios) if ratios else None


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
