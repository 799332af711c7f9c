"""Is the learned τ an adaptive time grid?"""

from __future__ import annotations

from functools import partial

from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.time_grid import steps_and_errors
from reports.tables import Measure, study_table

TITLE = "Is the learned τ an adaptive time grid?"
ORDER = 72
STUDY = "time_grid"
TEXT = (
    "An adaptive integrator takes small steps where the solution bends. Here the local error of a "
    "layer is the difference between one step of the net's ODE and sixteen shorter ones, with the "
    "layer's weights frozen and the same length for every layer. If the learned τ acted as an "
    "adaptive grid, it would be small where this error is large: a correlation near −1. And a "
    "grid that fits the ODE should serve a deeper net: τ is interpolated to more layers and "
    "frozen, and compared with even steps over the same time and with the grid in reverse."
)
CAPTION = (
    "Learned steps against local errors, both divided by their mean over the layers of a net, a "
    "point per layer and judging seed. An adaptive grid would fall from left to right."
)
TABLE = (
    "Rank correlation of |τ| with the local error, and training errors (J, on the training "
    "points) of deeper nets with a fixed τ: medians over seeds."
)


def contents(run: Run) -> list[Block]:
    found = run.results_of(STUDY).select("time_grid")
    if not len(found):
        return []
    measures: list[Measure] = [
        ("seeds", "count", lambda group: sum(len(r.values["runs"]) for r in group)),
        ("correlation", "number", "correlation"),
        ("even steps", "error", "uniform"),
        ("learned grid", "error", "transferred"),
        ("in reverse", "error", "reversed"),
    ]
    by = {"net": "net", "layers": "hidden", "layers of the deeper net": "deeper"}
    source = run.source(STUDY, found)
    return [
        Paragraph(TEXT),
        Picture("time-grid", CAPTION, partial(steps_and_errors, found), CAPTION, source),
        study_table(run, STUDY, found, "time-grids", TABLE, by, measures),
    ]
