"""Results at a glance: methods by problems, ranks and times; names and curves of figures."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import run_with
from test_competitors import fem, made

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import by_problem
from reports.decision import Trial
from reports.figures.curves import NAME_POINTS, Curve, Panel, draw_panels, last_seen, spread
from reports.figures.rows import Row, rows_in_groups
from reports.sections import glance, make, samples
from reports.sections.solve import chosen, median_curve, work_precision


def baseline(error, method="linear", **config):
    values = {"l2_error": error, "l2_error_inside": error / 2, "unknowns": 8, "seconds": 0.02}
    return made("baseline", values, method=method, samples=1000, **config)


def net(error, seed=0, **config):
    values = {"l2_error": error, "l2_error_inside": error / 2, "parameters": 562, "seconds": 8.0}
    return made("net", values, samples=1000, seed=seed, optimizer="ssbfgs", **config)


@pytest.fixture
def run():
    records = [
        baseline(2e-7, "cubic"), baseline(2e-3), net(1e-5), net(3e-5, seed=1), net(5e-5, seed=2),
        fem(1e-2, 2), fem(4e-3, 4, solve=True), fem(2e-3, 8, solve=True),
    ]  # fmt: skip
    return run_with(Results(records))


def table(run, information):
    return glance.table(run, by_problem(run.results), INFORMATION[information])


def test_a_column_is_one_comparison_with_ranks_and_times(run):
    found = table(run, "samples")
    assert [column.title for column in found.columns][1].startswith("maxwell (1\u202f000 samples")
    rows = {row[0]: (at, row[1]) for at, row in enumerate(found.rows)}
    assert rows["cubic"] == (0, pytest.approx(1e-7)), "where the samples lie"
    assert rows["ResNet + τ"] == (1, pytest.approx(1.5e-5)), "the median over seeds, at the end"
    assert [found.tints[at, 1] for at in range(3)] == ["first", "second", "third"]
    assert (found.notes[0, 1], found.notes[1, 1]) == ("20 ms", "8 s")


def test_a_series_is_its_most_accurate_size(run):
    (row,) = table(run, "equation").rows
    assert row[1] == 2e-3
    assert table(run, "equation").tints == {}, "alone it is not first"
    section = make(glance, run)
    assert [getattr(b, "name", "") for b in section.blocks][1:] == [
        "glance-samples", "glance-equation", "glance-field",
    ]  # fmt: skip


def test_the_figure_of_samples_has_the_best_net_among_the_best(run):
    (field,) = samples.shown_fields(run.results).values()
    assert [c.declared.series for c in field] == ["cubic", "ResNet + τ", "linear"]
    groups = samples.figure_rows(samples.shown_fields(run.results))
    axes = rows_in_groups(groups, "L² error").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "cubic", "ResNet + τ", "linear",
    ]  # fmt: skip
    (cubic, net, _) = axes.lines
    assert cubic.get_xdata()[0] == pytest.approx(1e-7)
    assert cubic.get_markerfacecolor() == cubic.get_color() != net.get_color()


def test_ratios_stay_on_a_symmetric_axis():
    rows = [Row("τ learned", "net/resnet", 0.9, 0.5, np.inf, False)]
    low, high = rows_in_groups({"one": rows}, "ratio", ratios=True).axes[0].get_xlim()
    assert low * high == pytest.approx(1.0)


def test_panels_have_at_most_six_curves_with_the_lowest_order_and_the_best_net():
    others = [fem(10.0**-p, 1, solve=True, element="hexP", order=p) for p in (2, 3)]
    nets = [
        made("solved_net", {"l2_error": e, "seconds": 9.0, "parameters": 5}, net=name)
        for name, e in (("resnet", 1e-5), ("fractional", 1e-4))
    ]
    field = by_problem(Results([fem(0.1, 2, solve=True), *others, *nets]))["maxwell"]
    found = chosen(field)
    assert [*found] == ["N₀ tets", "p-version", "trained net"]
    assert found["trained net"][0].end_error == 1e-5
    (legend,) = work_precision({"maxwell": field}).legends
    assert [text.get_text() for text in legend.get_texts()] == [*found]


@given(st.lists(st.floats(0, 150), min_size=1, max_size=20))
def test_names_keep_their_distance_and_stay_on_the_axis(wanted):
    places = spread(sorted(wanted, reverse=True), 0.0, 150.0)
    gap = min(NAME_POINTS, 150 / len(wanted))
    assert all(a - b >= gap - 1e-9 for a, b in pairwise(places))
    assert places[-1] >= 0.0


def test_no_curve_strikes_a_name_through():
    """A curve that ends just below another one is named below it."""
    curves = [
        Curve("long", "net/resnet", [1.0, 1e4], [1.0, 1e-4]),
        Curve("short", "net/densenet", [1.0, 100.0], [0.8, 0.8e-2]),
    ]
    axes = draw_panels([Panel("", "x", curves)], "y").axes[0]
    heights = {text.get_text(): text.xy[1] for text in axes.texts}
    assert heights["long"] == pytest.approx(1e-4, rel=0.01)
    assert heights["short"] < 0.8e-2 / 2


def test_the_median_curve_is_the_error_last_seen():
    x, rows = last_seen([((0.0, 1.0, 4.0), (9.0, 1.0, 0.5)), ((2.0, 3.0), (1.0, 0.2))])
    assert (x[0], x[-1]) == pytest.approx((2.0, 4.0)), "from where all have begun"
    assert (rows[0][0], rows[1][-1]) == (1.0, 0.2), "a training that has ended stays where it is"
    trials = [Trial((1.0, 2.0, 4.0), (1.0, 0.1, 0.5)), Trial((1.0, 2.0, 4.0), (1.0, 0.3, 0.2))]
    times, errors = median_curve(trials)
    assert (times[0], times[-1]) == pytest.approx((1.0, 4.0))
    assert errors[-1] == 0.2, "the lower median of 0.5 and 0.2, not the best on the way"
