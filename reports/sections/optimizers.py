"""The optimisers' race, and the record that the best of them reaches."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.optimizers import race
from reports.formatting import counted, scientific, show, two_digits

STUDY = "optimizers"

TITLE = "Optimisers"
ORDER = 75
STUDIES = (STUDY,)
GAP = "the optimisers have not raced in this run."
IN_ARTICLE = (("race",),)


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    if not len(runs):
        return []
    first = runs.records[0].config
    return [
        Paragraph(
            f"One net ({first['hidden']}-{first['width']} ResNet with learned τ), the same "
            f"starting weights and data for all; all stop at {int(first['evaluations']):,} "
            f"evaluations, line searches included; “at equal time” is the error after "
            f"{show(equal_time(runs), 'seconds')}, when the first is through. {_winner(runs)}"
        ),
        Picture(
            "race",
            f"{_winner(runs) or 'One optimiser so far.'} Relative test error against evaluations "
            f"and against seconds, medians over {counted(len(runs.distinct('seed')), 'seed')} with "
            "a band over all.",
            partial(race, runs),
            f"Race of the optimisers. {_winner(runs)}",
            run.source(STUDY, runs),
        ),
        Table(
            "race-ends", "Where each optimiser ends.", COLUMNS, _rows(runs), run.source(STUDY, runs)
        ),
    ]


COLUMNS = [
    Column("optimiser"),
    Column("seeds", "count"),
    Column("diverged", "count"),
    Column("relative test error", "error"),
    Column("smallest", "error"),
    Column("largest", "error"),
    Column("at equal time", "error"),
    Column("L² cube", "error"),
    Column("seconds", "seconds"),
]


def _rows(runs: Results) -> list[tuple[Value, ...]]:
    rows: list[tuple[Value, ...]] = []
    seconds = equal_time(runs)
    for optimizer, group in _groups(runs).items():
        errors = group.errors("rel_test_error")
        rows.append(
            (
                optimizer,
                len(group),
                sum(map(bool, group.value("diverged"))),
                median(errors),
                min(errors),
                max(errors),
                median(_error_at(r, seconds) for r in group),
                group.median("l2_error"),
                group.median("seconds"),
            )
        )
    return sorted(rows, key=lambda row: row[3])  # type: ignore[arg-type, return-value]


def equal_time(runs: Results) -> float:
    """When the first of the optimisers is through, in the median: so far all have curves."""
    return min(median(group.value("seconds")) for group in _groups(runs).values())


def _error_at(record: StoredResult, seconds: float) -> float:
    """The last error on the curve no later than this."""
    seen = np.asarray(record.arrays["curve_seconds"]) <= seconds
    error = np.asarray(record.arrays["curve_rel_test_error"])
    return float(error[seen][-1] if seen.any() else error[0])  # not a step yet: where it started


def _groups(runs: Results) -> dict[str, Results]:
    return {name: runs.select("net", optimizer=name) for name in runs.distinct("optimizer")}


def _winner(runs: Results) -> str:
    ends = {name: median(group.errors("rel_test_error")) for name, group in _groups(runs).items()}
    ordered = sorted(ends.items(), key=lambda item: item[1])
    if len(ordered) < 2:
        return ""
    (first, best), (second, next_best) = ordered[:2]
    factor = next_best / best if best else float("inf")
    ahead = f"{two_digits(factor)} times below {second}" if factor >= 1.05 else f"beside {second}"
    return (
        f"After equally many evaluations {first} has the lowest median test error, "
        f"{scientific(best, 1)}, {ahead}."
    )
