"""The optimisers' race, and the record that the best of them reaches."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.optimizers import race
from reports.tables import DIVERGED, SEEDS, largest, medians_by, smallest

TITLE = "Optimisers"
ORDER = 75
STUDY = "optimizers"
TEXT = (
    "One ResNet with learned τ, with the same starting weights and data for all optimisers. All "
    "stop at the same number of evaluations of the loss and its gradient, line searches included; "
    "at equal time means when the fastest has finished."
)
CAPTION = (
    "Relative test error in the cylinder by evaluations and by seconds, medians with bands over "
    "all seeds."
)


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    if not len(runs):
        return []
    seconds, source = equal_time(runs), run.source(STUDY, runs)
    groups = {(name,): group for name, group in _groups(runs).items()}
    return [
        Paragraph(TEXT),
        Picture("race", CAPTION, partial(race, runs), CAPTION, source),
        medians_by(
            "race-ends",
            "Medians over seeds, at the end and at equal time; test errors are in the cylinder.",
            ("optimiser",),
            dict(sorted(groups.items(), key=lambda item: median(_ends(item[1])))),
            [
                SEEDS,
                DIVERGED,
                ("relative test error, cylinder", "error", lambda group: median(_ends(group))),
                smallest("rel_test_error"),
                largest("rel_test_error"),
                ("at equal time", "error", lambda g: median(_error_at(r, seconds) for r in g)),
                ("L² cube", "error", "l2_error"),
                ("seconds", "seconds", "seconds"),
            ],
            source,
        ),
    ]


def _ends(group: Results) -> list[float]:
    return group.errors("rel_test_error")


def equal_time(runs: Results) -> float:
    """When the first of the optimisers has finished, in the median: until then all have curves."""
    return min(median(group.value("seconds")) for group in _groups(runs).values())


def _error_at(record: StoredResult, seconds: float) -> float:
    """The last error on the curve no later than this."""
    seen = np.asarray(record.arrays["curve_seconds"]) <= seconds
    error = np.asarray(record.arrays["curve_rel_test_error"])
    return float(error[seen][-1] if seen.any() else error[0])  # not a step yet: where it started


def _groups(runs: Results) -> dict[str, Results]:
    return {name: runs.select("net", optimizer=name) for name in runs.distinct("optimizer")}
