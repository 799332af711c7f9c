"""The optimisers' race: one net and one start for all."""

from __future__ import annotations

from functools import partial

from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.optimizers import race
from reports.tables import DIVERGED, SEEDS, Measure, largest, smallest, study_table

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
    if not len(runs):
        return []
    draw, source = partial(race, runs), run.source(STUDY, runs)
    by = {"optimiser": "optimizer"}
    return [
        Paragraph(TEXT),
        Picture("race", CAPTION, draw, CAPTION, source),
        study_table(run, STUDY, runs, "race-ends", TABLE, by, MEASURES),
    ]
