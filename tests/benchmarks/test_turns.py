"""Rounds in turns, intervals of medians, targets that fail nothing."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from turns import Ratio, Turns, against_target, in_turns, median_with_interval


def test_calls_take_turns_after_a_warm_up():
    called = []
    turns = in_turns(3, {"a": lambda: called.append("a"), "b": lambda: called.append("b")})
    assert called == ["a", "b"] * 4
    assert all(x != y for x, y in pairwise(called))
    assert {name: len(seconds) for name, seconds in turns.seconds.items()} == {"a": 3, "b": 3}


def test_a_ratio_is_taken_round_by_round():
    turns = Turns({"slow": np.array([2.0, 40.0, 6.0]), "fast": np.array([1.0, 20.0, 2.0])})
    assert turns.ratio("slow", "fast").value == 2.0


@pytest.mark.parametrize("count", [6, 9, 10, 17, 20, 50])
def test_the_interval_covers_the_median_as_often_as_promised(count):
    """By brute force over the binomial distribution of values below the true median."""
    ratio = median_with_interval(np.arange(count, dtype=float))
    k = int(ratio.low)  # values are their own ranks
    below = sum(math.comb(count, j) for j in range(k + 1)) / 2**count
    assert 2 * below <= 0.05
    wider = sum(math.comb(count, j) for j in range(k + 2)) / 2**count
    assert 2 * wider > 0.05 or k + 1 >= count // 2
    assert ratio.high == count - 1 - k


def test_few_rounds_give_the_extremes():
    assert median_with_interval([3.0, 1.0, 2.0]) == Ratio(2.0, 1.0, 3.0, 3)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=40))
def test_an_interval_holds_its_median(values):
    ratio = median_with_interval(values)
    assert ratio.low <= ratio.value <= ratio.high


def test_targets_say_met_missed_and_by_how_much():
    ratio = Ratio(2.58, 2.4, 3.1, 9)
    held = against_target(ratio, at_least=3)
    assert (held["met"], held["sure"]) == (False, False)
    assert held["by"] == pytest.approx(0.86)
    held = against_target(ratio, at_most=4)
    assert (held["met"], held["sure"], held["sense"]) == (True, True, "at most")
    with pytest.raises(ValueError, match="either"):
        against_target(ratio)
