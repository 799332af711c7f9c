"""At a glance: which methods are compared, the cheapest of them, and the figures of it."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_competitors import fem, made

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import competitors
from reports.decision import Trial
from reports.decision.break_even import break_even
from reports.fields import Fields, given_in_words, kind_of
from reports.figures.break_even import pay_back_counts
from reports.figures.forest import Bar, forest
from reports.figures.glance import drawable, given_panels, median_curve, spread
from reports.sections.break_even import pay_backs
from reports.sections.glance import winners


def baseline(error, method="linear", samples=1000, **config):
    values = {"l2_error": error, "l2_error_inside": error / 2, "unknowns": 8, "seconds": 0.02}
    values |= {"seconds_per_point": 1e-7, "seconds_tuning": 0.0, "smooth": True}
    return made("baseline", values, method=method, samples=samples, **config)


def net(error, samples=1000, seed=0, **config):
    values = {"l2_error": error, "l2_error_inside": error / 2, "parameters": 562, "seconds": 8.0}
    values |= {"seconds_per_point": 1e-6, "seconds_tuning": 0.0}
    found = made("net", values, samples=samples, seed=seed, optimizer="ssbfgs", **config)
    found.arrays["curve_seconds"] = np.geomspace(0.1, 8.0, 6)
    for name in ("curve_l2_error", "curve_l2_error_inside"):
        found.arrays[name] = np.geomspace(1.0, values[name.removeprefix("curve_")], 6)
    return found


@pytest.fixture
def fields():
    """At 1000 samples the net is good and loses by 50; at 12 000 it is bad."""
    records = [
        baseline(2e-7, "cubic"), baseline(2e-3), baseline(2e-9, "cubic", samples=12_000),
        net(1e-5), net(3e-2, samples=12_000), fem(1e-2, 2), fem(4e-3, 4, solve=True),
    ]  # fmt: skip
    return Fields({"maxwell": competitors(Results(records), "maxwell")})


def test_the_conditions_are_those_in_which_the_best_net_is_best(fields):
    assert {c.declared.samples for c in fields.fullest("maxwell", "samples")} == {1000}


def test_the_table_has_winners_times_and_colours(fields):
    table = winners(fields)
    (samples, equation) = table.rows
    assert samples[1:] == (
        "maxwell (smooth)",
        *["cubic 21 ms"] * 3,
        "none (linear model 1·10⁻⁷)",
    )
    assert equation[0] == "the equation"
    assert equation[2] == "N₀ tets 410 ms"
    assert table.tints[0, 2] == "linear model"
    assert table.tints[1, 2] == "finite element"
    assert (0, 5) not in table.tints


def test_no_method_wins_unopposed():
    """A net alone on a field is no winner, where nets meet others on another field."""
    met = competitors(Results([net(1e-5), baseline(2e-7)]), "maxwell")
    alone = competitors(Results([net(1e-5, problem="helix")]), "helix")
    fields = Fields({"maxwell": met, "helix": alone})
    assert fields.shown("samples") == ["maxwell"]
    assert [row[1] for row in winners(fields).rows] == ["maxwell (smooth)"]
    assert Fields({"helix": alone}).shown("samples") == ["helix"]


def test_words_for_what_is_given(fields):
    assert given_in_words(fields.fullest("maxwell", "equation")[0].conditions) == "the equation"
    assert kind_of(fields.by_problem["maxwell"]) == "smooth"


def test_panels_show_the_errors_that_the_table_judges(fields):
    field = [c for track in INFORMATION for c in fields.fullest("maxwell", track)]
    figure = given_panels(field)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["given samples", "given the equation", "given the field"]
    lowest = {
        line.get_label(): min(line.get_ydata())
        for line in figure.axes[0].lines
        if not line.get_label().startswith("_")
    }
    assert lowest["cubic"] == pytest.approx(1e-7), "inside, where the samples lie"
    (curve,) = [name for name in lowest if "ResNet" in name]
    assert lowest[curve] == pytest.approx(5e-6)
    assert drawable(competitors(Results([fem(None, 2)]), "maxwell")) == []


@given(st.lists(st.floats(-16, 2), min_size=1, max_size=12))
def test_names_keep_their_distance_and_stay_on_the_axis(wanted):
    low, high = -16.0, 2.0
    places = spread(sorted(wanted, reverse=True), low, high)
    gap = min(0.075 * 18, 18 / len(wanted))
    assert all(a - b >= gap - 1e-9 for a, b in pairwise(places))
    assert places[-1] >= low


def test_the_median_curve_is_the_smallest_error_so_far():
    trials = [Trial((1.0, 2.0, 4.0), (1.0, 0.1, 0.5)), Trial((1.0, 2.0, 4.0), (1.0, 0.3, 0.2))]
    times, errors = median_curve(trials)
    assert (times[0], times[-1]) == pytest.approx((1.0, 4.0))
    assert errors[-1] == 0.1, "the lower median of 0.1 and 0.2"
    assert (np.diff(errors) <= 0).all()


def test_a_forest_keeps_intervals_that_leave_it_on_the_page():
    bars = [Bar("a short claim", 0.5, 1e-9, 1e9, "depends"), Bar("a claim " * 20, 2, 1, 3, "holds")]
    axes = forest(bars, "ratio").axes[0]
    left, right = axes.get_xlim()
    assert left < 0.5 < 2 < right
    assert right / left < 1e3
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0] == "a short claim"
    assert labels[1].endswith("…")


def test_break_even_counts_stand_between_at_once_and_never(fields):
    values = {"l2_error": 4e-3, "seconds": 20.0, "seconds_per_point": 1e-7, "parameters": 562}
    solving = made("solved_net", values, evaluations=800.0)
    field = competitors(Results([solving, fem(4e-3, 4, solve=True)]), "maxwell")
    (row,) = pay_backs(field)
    assert row.points.middle == math.ceil((20.0 - 0.4) / 9e-7)
    looks = {c.declared.series: c.look for c in field}
    axes = pay_back_counts({"maxwell": [row], "helix": []}, looks).axes[0]
    (mark,) = [line for line in axes.lines if line.get_label() == "N₀ tets"]
    assert mark.get_xdata()[0] == pytest.approx(math.log10(row.points.middle))
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert (labels[0], labels[-1]) == ("at once", "never")
    assert break_even([], []) == []
