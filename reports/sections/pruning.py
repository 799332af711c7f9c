"""Which layers a learned τ marks as redundant, and what deleting them costs."""

from __future__ import annotations

from collections.abc import Callable

from bench.claims.paper import PRUNING_REL_TEST_ERROR
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Paragraph, Value
from reports.tables import SEEDS, grouped, known_median, largest, medians_by, smallest

TITLE = "Redundant layers"
ORDER = 62.5
STUDY = "pruning"
NEAR_ZERO = 1e-2


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    return [
        Paragraph(
            "The ResNet of 5 hidden layers of width 10, learned τ and bias ordering, after 1000 "
            "steps of steepest descent. The paper reports a relative test error of "
            f"{PRUNING_REL_TEST_ERROR} and three τ near zero, and does not say from which τ it "
            "started; so the start is varied. With ReLU a small τ is partly a matter of scale, so "
            "layers are also judged by their effect, ‖y[ℓ+1] − y[ℓ]‖ / ‖y[ℓ+1]‖; both thresholds "
            f"are {NEAR_ZERO:g}. Errors are medians over seeds."
        ),
        medians_by(
            "pruning",
            "Errors in the cylinder before and after layers of small τ, or effect, are deleted.",
            ("τ starts at",),
            grouped(runs, "tau0"),
            [
                SEEDS,
                ("relative test error, cylinder", "error", "rel_test_error"),
                smallest("rel_test_error"),
                largest("rel_test_error"),
                ("runs with a τ ≈ 0", "count", _near_zero),
                ("runs pruned (by τ)", "count", _lose("pruned_tau_layers")),
                ("after (by τ)", "error", _after("pruned_tau_error")),
                ("last layer solved again", "error", _after("pruned_tau_error_resolved")),
                ("(by effect)", "count", _lose("pruned_change_layers")),
                ("after (by effect)", "error", _after("pruned_change_error")),
            ],
            run.source(STUDY, runs),
        ),
    ]


def _near_zero(group: Results) -> Value:
    return sum(
        any(t is not None and abs(t) < NEAR_ZERO for t in r.values["tau"][1:]) for r in group
    )


def _after(name: str) -> Callable[[Results], Value]:
    """The median of the runs that lost a layer; the others have no error after."""
    return lambda group: known_median(group.value(name))


def _lose(name: str) -> Callable[[Results], Value]:
    """How many runs have a layer that can be deleted."""
    return lambda group: sum(map(bool, group.value(name)))
