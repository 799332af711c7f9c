"""The one median, and the one clock."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.measure import timing
from bench.measure.medians import median, medians

ROOT = Path(__file__).parent.parent.parent


@given(st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=9))
def test_finite_values_have_the_usual_median(values):
    assert median(values) == pytest.approx(float(np.median(values)), rel=1e-14)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None, 3], 3),
        ([1, 2, None, None], math.inf),
        ([None], math.inf),
        ([1, 2, math.nan], 2),
        ([-math.inf, math.inf], 0),
        ([-math.inf, 1.0], -math.inf),
        ([-math.inf, -math.inf], -math.inf),
    ],
)
def test_diverged_runs_are_infinite(values, expected):
    assert median(values) == expected


def test_curves_have_medians_step_by_step():
    table = [[1.0, 5.0], [2.0, np.nan], [9.0, 7.0]]
    np.testing.assert_array_equal(medians(table), [2.0, 7.0])
    np.testing.assert_array_equal(medians(table, axis=1), [3.0, math.inf, 8.0])


def test_an_empty_sequence_has_no_median():
    with pytest.raises(ValueError, match="empty sequence"):
        median([])


def test_nobody_takes_a_median_of_their_own():
    """`np.median` drops no run either, but NaN spoils it; survivors' medians flatter."""
    for package in ("bench", "reports"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and node.attr in ("median", "nanmedian"):
                    assert getattr(node.value, "id", "") not in ("np", "numpy", "statistics"), path


def test_a_short_first_call_is_made_again(monkeypatch):
    calls = []
    found, seconds = timing.warm(lambda: calls.append(1) or len(calls))
    assert found == 2
    assert seconds >= 0
    monkeypatch.setattr(timing, "WARM_UP_BELOW_SECONDS", -1.0)
    found, _ = timing.warm(lambda: calls.append(1) or len(calls))
    assert found == 3
