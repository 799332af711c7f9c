"""The record: the smallest error of a net of the paper's family, and its recipe."""

from __future__ import annotations

from reports.context import Run
from reports.document import Block, Paragraph
from reports.tables import SEEDS, Measure, largest, smallest, study_table

TITLE = "The most accurate network from samples"
ORDER = 31
STUDY = "record"
TEXT = (
    "One recipe for a ResNet with learned τ was chosen inside the cylinder, frozen, and then run "
    "on other seeds, inputs and fields. The width η of its activation was chosen by the error in a "
    "ring of the cylinder, a rule that was introduced after errors on the cube had been seen for "
    "tuning seeds. Its time does not include the search for it."
)
CAPTION = "Errors of the recipe by field and inputs, medians over seeds."
BY = {
    "field": "problem",
    "inputs": "features",
    "samples": "samples",
}
MEASURES: list[Measure] = [
    SEEDS,
    ("parameters", "count", "parameters"),
    ("L² cube", "error", "l2_error"),
    smallest("l2_error"),
    largest("l2_error"),
    ("L² where the samples lie", "error", "l2_error_inside"),
    ("time", "seconds", "seconds"),
]


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    if not len(runs):
        return []
    return [Paragraph(TEXT), study_table(run, STUDY, runs, STUDY, CAPTION, BY, MEASURES)]
