"""The statistics decide verdicts, so they are checked on samples whose answer is known."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bench.claims.claim import MARGIN
from bench.claims.power import detectable_effect, detectable_factor
from bench.claims.rules import paired
from bench.claims.statistics import (
    DECIDING_SEEDS,
    SIGNIFICANCE,
    compare_logs,
    holm,
    largest_family,
    share_interval,
    shift,
    sign_test,
    signed_rank,
)
from bench.claims.verdicts import decide
from bench.measure.rates import observed_rate

EQUAL = "no difference"


def compare_paired(a, b):
    return paired([*zip(range(len(a)), a, b, strict=True)], (), "").comparison


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


def test_the_interval_is_what_the_test_does_not_reject():
    """Shifts inside the interval are not rejected at 5 %, shifts outside are."""
    values = np.random.default_rng(4).normal(0.3, 1, 13)
    middle, low, high = shift(values)
    assert low < middle < high
    for inside in (low + 1e-9, middle, high - 1e-9):
        assert signed_rank(values - inside) >= SIGNIFICANCE
    for outside in (low - 1e-9, high + 1e-9):
        assert signed_rank(values - outside) < SIGNIFICANCE


def test_intervals_of_few_and_of_infinite_values():
    assert shift(np.array([1.0, 3.0])) == (2.0, 1.0, 3.0)
    middle, low, high = shift(np.array([np.inf] * 7 + [0.0] * 5))
    assert (middle, low, high) == (np.inf, 0.0, np.inf)
    assert shift(np.array([np.inf, -np.inf] * 4))[0] == 0.0


@pytest.mark.parametrize("draw", ["normal", "laplace", "standard_t"])
@pytest.mark.parametrize(("effect", "word"), [(1.0, "holds"), (MARGIN, "no difference")])
def test_wrong_verdicts_are_as_rare_as_stated(draw, effect, word):
    """2000 ledgers of one claim, twelve seeds each: no effect is called `holds`, and an effect as
    large as the margin `no difference`, in at most 5 % of them."""
    random = np.random.default_rng(11)
    noise = getattr(random, draw)(*((3,) if draw == "standard_t" else (0, 1)), size=(2000, 12))
    spread = 0.3 if word == "holds" else 0.02
    seen = [compare_logs(np.log(effect) + spread * row) for row in noise]
    wrong = sum(decide(one, one.p_value) == word for one in seen)
    assert wrong <= 0.05 * len(seen)


def test_known_effects_get_their_verdicts():
    """500 ledgers each: a halved error holds, equal arms of a small spread do not differ."""
    noise = np.random.default_rng(5).normal(0, 1, (500, 12))
    for effect, spread, word in ((0.5, 0.3, "holds"), (2.0, 0.3, "fails"), (1.0, 0.03, EQUAL)):
        seen = [compare_logs(np.log(effect) + spread * row) for row in noise]
        assert np.mean([decide(one, one.p_value) == word for one in seen]) > 0.95


def test_a_count_is_tested_as_coins():
    for true in range(13):
        exact = stats.binomtest(true, 12)
        assert sign_test(true, 12) == pytest.approx(exact.pvalue)
        assert share_interval(true, 12) == pytest.approx(tuple(exact.proportion_ci()))


def test_diverged_runs_rank_worst_and_are_counted():
    """Ties among infinite ratios do not cost the exact p."""
    result = compare_paired([None, float("nan"), 1.0, 1.0], [1.0, 1.0, 2.0, None])
    assert (result.diverged_a, result.diverged_b) == (2, 1)
    assert (result.wins, result.high) == (2, np.inf)
    assert compare_paired([None, None], [None, None]).p_value == 1.0
    assert compare_paired([None] * 12, [1.0] * 12).p_value == 2 / 2**12


def test_signed_rank_is_scipys_where_all_is_finite_and_knows_no_direction():
    values = np.random.default_rng(1).normal(0.4, 1, 15)
    assert signed_rank(values) == pytest.approx(stats.wilcoxon(values).pvalue)
    assert signed_rank(-values) == pytest.approx(signed_rank(values))


@pytest.mark.parametrize(
    "values", [[1, 1, -1, 2, 3], [np.inf, np.inf, -0.5, 0.5, 2, -np.inf, 3], [-1, -1, -1, 2]]
)
def test_signed_rank_is_exact_with_ties(values):
    """Against all 2^n signs, one by one."""
    sizes = np.abs(np.array(values))
    ranks = np.array([(sizes < s).sum() + ((sizes == s).sum() + 1) / 2 for s in sizes])
    sums = [sum(r for r, up in zip(ranks, signs, strict=True) if up)
            for signs in product((0, 1), repeat=len(ranks))]  # fmt: skip
    seen = ranks[np.array(values) > 0].sum()
    tails = [np.mean([s <= seen for s in sums]), np.mean([s >= seen for s in sums])]
    assert signed_rank(np.array(values, float)) == pytest.approx(min(1, 2 * min(tails)))


def test_twelve_seeds_that_agree_decide_two_sided_after_holm():
    """2/2¹² = 0.000488 times the size of the family stays below 5 % up to 102 tests."""
    p = compare_paired([1.0] * DECIDING_SEEDS, np.linspace(2, 3, DECIDING_SEEDS)).p_value
    assert p == 2 / 2**12
    assert largest_family(DECIDING_SEEDS) == 102
    for family, decided in ((102, True), (103, False)):
        assert (holm({"one": p}, family)["one"] < SIGNIFICANCE) is decided
    assert [largest_family(n) for n in (5, 6, 10, 20)] == [0, 1, 25, 26214]
    assert compare_paired([1.0] * 5, [2.0, 2.1, 2.2, 2.3, 2.4]).p_value == 2 / 2**5


@pytest.mark.parametrize(("pairs", "family"), [(12, 1), (12, 40), (20, 40)])
def test_the_detectable_effect_is_found_as_often_as_it_says(pairs, family):
    """By an independent simulation with SciPy's test."""
    effect = detectable_effect(pairs, family)
    samples = np.random.default_rng(7).normal(effect, 1, (600, pairs))
    found = [stats.wilcoxon(row).pvalue * family < SIGNIFICANCE for row in samples]
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)


def test_disjoint_seeds_of_no_effect_do_not_contradict_each_other():
    """4000 pairs of runs with twelve seeds each, in a family of forty tests and no truth in any.

    Both decide, against each other, with probability 2 (0.05/40/2)² = 8e-7 at most.
    """
    samples = np.random.default_rng(3).normal(0, 1, (4000, 2, 12))
    p = np.array([[signed_rank(half) for half in pair] for pair in samples])
    assert np.mean(p < SIGNIFICANCE) <= SIGNIFICANCE
    both = (p * 40 < SIGNIFICANCE).all(axis=1)
    assert not both.any()


def test_what_seeds_can_find():
    assert detectable_effect(5, 1) == np.inf
    assert detectable_effect(20, 40) < detectable_effect(12, 40) < detectable_effect(12, 102)
    assert detectable_factor(20, 40, 0.0) == 1.0
    assert detectable_factor(20, 40, 0.2) == pytest.approx(np.exp(0.2 * detectable_effect(20, 40)))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_by_its_definition(values):
    """The largest of (m − k) p over the p-values up to its own, at most 1."""
    ordered = sorted(values)
    for k, adjusted in holm(dict(enumerate(values))).items():
        below = [(len(values) - at) * p for at, p in enumerate(ordered) if p <= values[k]]
        assert adjusted == pytest.approx(min(1.0, max(below)))
    assert [*holm({"a": 0.01, "b": 0.04, "c": 0.03}).values()] == pytest.approx([0.03, 0.06, 0.06])


def test_observed_rate_of_a_power():
    """e = 3 h² gives 2 between any two sizes; without two meshes and errors there is no rate."""
    meshes = [{"h": h, "l2_error": 3 * h**2} for h in (0.7, 0.1)]
    assert observed_rate(*meshes, "l2_error") == pytest.approx(2.0)
    assert observed_rate(*meshes, "hcurl_error") is None
    assert observed_rate(meshes[0], meshes[0], "l2_error") is None
    assert observed_rate(meshes[0], {"h": 0.1, "l2_error": 0.0}, "l2_error") is None
