"""The optimisers' race: one net and one start for all."""

from __future__ import annotations

from functools import partial

from bench.store.results import Results, medians
from reports.context import Run
from reports.document import NO_CURVES, Block, Paragraph, Picture
from reports.figures.curves import Curve, Figure, Panel, draw_panels
from reports.tables import DIVERGED, SEEDS, Measure, grouped, largest, smallest, study_table

TITLE, ORDER = "Optimisers", 75
STUDY = "optimizers"
TEXT = (
    "One ResNet with learned τ, with the same starting weights and data for all optimisers. All "
    "stop at the same number of evaluations of the loss and its gradient, line searches included."
)
CAPTION = (
    "Relative test error in the cylinder by evaluations and by seconds, medians with bands over "
    "all seeds."
)
TABLE = "Medians over seeds at the end; test errors are in the cylinder."
WORK = {"evaluations": "evaluations of J and its gradient", "seconds": "seconds"}
MEASURES: list[Measure] = [
    SEEDS,
    DIVERGED,
    ("relative test error, cylinder", "error", "rel_test_error"),
    smallest("rel_test_error"),
    largest("rel_test_error"),
    ("L² cube", "error", "l2_error"),
    ("seconds", "seconds", "seconds"),
]


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    by, seen = {"optimiser": "optimizer"}, runs.having("curve_evaluations")
    along: list[Block] = [Picture("race", CAPTION, partial(race, seen), run.source(STUDY, seen))]
    return [
        Paragraph(TEXT),
        *(along if seen else [NO_CURVES]),
        study_table(run, STUDY, runs, "race-ends", TABLE, by, MEASURES),
    ]


def race(runs: Results) -> Figure:
    """Relative test error along training by work, a curve per optimiser."""
    panels = [
        Panel("", label, [_curve(str(o), group, work) for (o,), group in groups.items()])
        for groups in [grouped(runs, "optimizer")]
        for work, label in WORK.items()
    ]
    return draw_panels(panels, "relative test error, cylinder", share="y")


def _curve(optimizer: str, group: Results, work: str) -> Curve:
    curves = [record.arrays for record in group]
    length = min(len(curve["curve_evaluations"]) for curve in curves)
    x = medians([curve[f"curve_{work}"][1:length] for curve in curves])
    errors = [curve["curve_rel_test_error"][1:length] for curve in curves]
    return Curve(optimizer, f"optimiser/{optimizer}", x, errors, [group.keys()])
