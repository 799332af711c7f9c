"""The record: the smallest error of a net of the paper's family, and its recipe."""

from __future__ import annotations

from reports.context import Run
from reports.document import Block, Paragraph
from reports.names import net_name
from reports.tables import SEEDS, Measure, grouped, largest, medians_by, smallest

STUDY = "record"

TITLE = "The record"
ORDER = 66
STUDIES = (STUDY,)
GAP = "the recipe of the record was not run."

HEADS = ("problem", "inputs", "samples")
MEASURES: list[Measure] = [
    SEEDS,
    ("parameters", "count", "parameters"),
    ("L² cube", "error", "l2_error"),
    smallest("l2_error"),
    largest("l2_error"),
    ("L² training domain", "error", "l2_error_inside"),
    ("seconds", "seconds", "seconds"),
]


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    if not len(runs):
        return []
    first = runs.records[0].config
    text = (
        f"The recipe ({net_name(first)}, η = {first['eta']:g}, {first['samples']:,} samples, "
        f"{first['optimizer']}, {int(first['evaluations']):,} evaluations) was chosen inside the "
        "cylinder, frozen, and then run on other seeds, other inputs and another field "
        "([[record]]). The rule that chose the width η of the activation (train on r ≤ 1/√2, judge "
        "up to r = 1) was introduced after cube errors of the tuning seeds had been seen."
    )
    caption = (
        "Errors of the recipe by field and inputs, medians over seeds. Its seconds do not include "
        "the search for it; methods other than nets are in the section “Fair comparison”."
    )
    groups = grouped(runs, "problem", "features", "samples")
    source = run.source(STUDY, runs)
    return [Paragraph(text), medians_by(STUDY, caption, HEADS, groups, MEASURES, source)]
