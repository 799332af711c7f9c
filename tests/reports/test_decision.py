"""Decisions from made-up trials: which method wins, and by how much."""

import math

import pytest

from reports.decision import POINTS, Conditions, Method, Trial, decision

SAMPLES = Conditions("helix", "samples", 1000, "x", 1)


def method(name, *trials, conditions=SAMPLES, series=None, net=False, **more):
    """Trials as ([(seconds, error), …], per_point)."""
    made = tuple(Trial(*zip(*curve, strict=True), per_point=p) for curve, p in trials)
    family = "net" if net else "finite element"
    return Method(name, series or name, family, conditions, made, **more)


POLYNOMIAL = method("polynomial", ([(0.1, 1e-7)], 1e-6))
NET = method("net", ([(1.0, 1e-2), (5.0, 1e-4), (60.0, 1e-6)], 5e-6), net=True)


def test_time_is_read_off_the_curve():
    found = decision([NET], 1e-3)
    assert found.winner.seconds == 5.0
    assert found.winner.cost == pytest.approx(5.0 + POINTS * 5e-6)
    assert found.runner_up is None
    assert found.factor is None


def test_the_runner_up_and_the_factor():
    found = decision([NET, POLYNOMIAL], 1e-4)
    assert (found.winner.method, found.runner_up.method) == (POLYNOMIAL, NET)
    assert found.factor == pytest.approx((5 + POINTS * 5e-6) / (0.1 + POINTS * 1e-6))
    assert (found.net.method, found.nets) == (NET, 1)
    assert decision([POLYNOMIAL], 1e-4).nets == 0, (
        "none was entered: not the same as none reaches it"
    )


def test_a_runner_up_is_another_method_and_not_another_size():
    sizes = [method(f"N0 n={n}", ([(n, 1e-5)], 1e-6), series="N0") for n in (1, 2)]
    found = decision([*sizes, NET], 1e-4)
    assert found.winner.method is sizes[0]
    assert found.runner_up.method is NET


def test_work_left_to_the_query_is_paid_there():
    lazy = method("local", ([(0.0, 1e-5)], 1e-3))
    found = decision([lazy, POLYNOMIAL], 1e-4)
    assert found.winner.method is POLYNOMIAL
    assert found.runner_up.cost == pytest.approx(POINTS * 1e-3)


@pytest.mark.parametrize(
    "changed",
    [
        {"problem": "maxwell"},
        {"information": "equation"},
        {"samples": 12_000},
        {"inputs": "x,f"},
        {"threads": 2},
    ],
)
def test_every_condition_keeps_methods_apart(changed):
    different = Conditions(**{**vars(SAMPLES), **changed})
    with pytest.raises(ValueError, match="do not compare"):
        decision([POLYNOMIAL, method("other", ([(1, 1)], 1), conditions=different)], 1.0)


def test_most_seeds_have_to_reach_it():
    curve = [(1.0, 1e-3)]
    one_of_two = method("net", (curve, 1e-6), ([(1.0, 1.0)], 1e-6), net=True)
    found = decision([one_of_two], 1e-2)
    assert found.winner is None
    assert "1 of 2 seeds" in found.reason
    two_of_three = method("net", (curve, 1e-6), (curve, 1e-6), ([(1, math.inf)], 1e-6), net=True)
    assert decision([two_of_three], 1e-2).winner.method.reached(1e-2) == 2


@pytest.mark.parametrize(
    ("curve", "reason"),
    [
        (
            [(1, 1e-1), (10, 1e-2), (20, 1e-3)],
            "still falling when its budget (8000 evaluations) ended",
        ),
        ([(1, 1e-3), (10, 1e-3), (20, 1e-3)], "ends above the required error"),
        ([(1, math.inf)], "diverged in 1 of 1"),
    ],
)
def test_nobody_has_a_reason_and_a_nearest_miss(curve, reason):
    near = method("near", (curve, 1e-6), net=True, budget="8000 evaluations")
    far = method("far", ([(1, math.inf)], 1e-6))
    found = decision([near, far], 1e-5)
    assert found.winner is None
    assert found.nearest is near
    assert near.smallest == min(error for _, error in curve)
    assert reason in found.reason


def test_a_method_whose_queries_were_not_timed_cannot_win():
    found = decision([method("untimed", ([(1, 1e-9)], None))], 1e-3)
    assert found.winner is None
    assert "not measured" in found.reason
