"""Tasks on which neural ODEs struggle: accuracy, decision boundaries, trajectories."""

from __future__ import annotations

from functools import partial

from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.ode_tasks import decisions, paths
from reports.tables import Measure, study_table

TITLE = "Tasks on which neural ODEs struggle"
ORDER = 82
STUDY = "neural_ode_tasks"
TEXT = (
    "Two tasks of Dupont, Doucet and Teh (2019). Crossing: points near −1 on the line must end at "
    "a positive number, points near 1 at a negative one. Annuli: a disc inside a ring must be "
    "separated by a line in the plane of the last layer. The state of a net starts at the input "
    "and keeps its dimension; extra dimensions start at zero. With small steps, |τ| ‖W‖ < 1 in "
    "every layer, a ResNet is an invertible continuous map: it cannot cross (at most half of the "
    "points are right), and it cannot separate the annuli completely. Rate and τ₀ of every net "
    "are tuned on seeds of their own. A training ends after a number of steps, or where the "
    "cross-entropy is at most 0.01: then the task is solved."
)
TABLE = (
    "Share of right answers at the end: median over seeds of training and test points, and the "
    "cross-entropy on the training points."
)
BY = {
    "task": "task", "net": "net", "small steps": "small_steps", "τ": "tau",
    "extra dimensions": "extra",
}  # fmt: skip
DECISIONS = (
    "Annuli: where each net answers “ring” (dark) and “disc” (light), for the first judging seed. "
    "The circles are the edges of disc and ring."
)
PATHS = (
    "Crossing: the state of each net from the input (left) to the last layer (right), for the "
    "first judging seed. Paths of a continuous flow cannot cross."
)


def contents(run: Run) -> list[Block]:
    found = run.results_of(STUDY).select("ode_task")
    # the nets without extra dimensions, with learned τ: a picture of each
    plain = found.select("ode_task", extra=0, tau="learned")
    annuli, crossing = (plain.select("ode_task", task=task) for task in ("annuli", "crossing"))
    measures: list[Measure] = [
        ("seeds", "count", lambda group: sum(len(r.values["runs"]) for r in group)),
        ("accuracy", "number", "accuracy"),
        ("on test points", "number", "test_accuracy"),
        ("cross-entropy", "error", "cross_entropy"),
    ]
    return [
        Paragraph(TEXT),
        Picture("annuli", DECISIONS, partial(decisions, annuli), run.source(STUDY, annuli)),
        Picture("crossing", PATHS, partial(paths, crossing), run.source(STUDY, crossing)),
        study_table(run, STUDY, found, "ode-tasks", TABLE, BY, measures),
    ]
