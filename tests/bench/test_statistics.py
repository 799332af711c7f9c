"""The statistics decide verdicts, so they are checked on samples whose answer is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bench.statistics import bootstrap_median, compare_paired, holm, observed_rate, signed_rank


def paired_samples(effect, seeds=12, spread=0.3, seed=0):
    generator = np.random.default_rng(seed)
    b = np.exp(generator.normal(0, 1, seeds))
    return b * effect * np.exp(generator.normal(0, spread, seeds)), b


def test_a_clear_effect_is_found():
    result = compare_paired(*paired_samples(effect=0.5))
    assert result.low < 0.5 < result.high < 1
    assert result.p_value < 0.01
    assert result.wins >= 11


def test_no_effect_is_not_found():
    p_values = [compare_paired(*paired_samples(1.0, seed=s)).p_value for s in range(200)]
    assert 0.01 < np.mean(np.array(p_values) < 0.05) < 0.10


def test_interval_covers_the_truth():
    """A percentile interval of the median over 12 seeds covers at about its level."""
    covered = 0
    for seed in range(200):
        differences = np.random.default_rng(seed).normal(0.3, 1, 12)
        low, high = bootstrap_median(differences, seed=seed)
        covered += low <= 0.3 <= high
    assert covered / 200 > 0.90


def test_diverged_runs_rank_worst_and_are_counted():
    result = compare_paired([None, float("nan"), 1.0, 1.0], [1.0, 1.0, 2.0, None])
    assert (result.diverged_a, result.diverged_b) == (2, 1)
    assert result.wins == 2
    assert result.high == np.inf


def test_two_diverged_runs_tie():
    assert compare_paired([None, None], [None, None]).p_value == 1.0


def test_five_pairs_cannot_decide():
    assert compare_paired([1.0] * 5, [2.0, 2.1, 2.2, 2.3, 2.4]).p_value >= 0.0625


def test_signed_rank_is_scipys_where_all_is_finite():
    values = np.random.default_rng(1).normal(0.4, 1, 15)
    assert signed_rank(values) == stats.wilcoxon(values).pvalue


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_lies_between_the_value_and_bonferroni(values):
    p = {str(i): v for i, v in enumerate(values)}
    for name, adjusted in holm(p).items():
        assert p[name] <= adjusted <= min(1.0, len(p) * p[name]) or adjusted == pytest.approx(
            max(min(1.0, (len(p) - k) * v) for k, v in enumerate(sorted(values)) if v <= p[name])
        )


def test_holm_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "c": 0.06, "b": 0.06}
    )


def test_observed_rate_of_a_power():
    """e = 3 h² gives 2 between any two sizes; without two meshes and errors there is no rate."""
    meshes = [{"h": h, "l2_error": 3 * h**2} for h in (0.7, 0.1)]
    assert observed_rate(*meshes, "l2_error") == pytest.approx(2.0)
    assert observed_rate(*meshes, "hcurl_error") is None
    assert observed_rate(meshes[0], meshes[0], "l2_error") is None
    assert observed_rate(meshes[0], {"h": 0.1, "l2_error": 0.0}, "l2_error") is None
