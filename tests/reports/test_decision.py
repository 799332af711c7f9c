"""Decisions and break-even counts from made-up trials: who wins, by how much, and never."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.decision import POINTS, Conditions, Method, Trial, decide, decision
from reports.decision import break_even as pay

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


def test_only_equal_conditions_meet():
    more = Conditions("helix", "samples", 12_000, "x", 1)
    other = method("polynomial", ([(0.5, 1e-9)], 1e-6), conditions=more)
    with pytest.raises(ValueError, match="different conditions"):
        decision([POLYNOMIAL, other], 1e-4)
    found = decide([POLYNOMIAL, other], required=[1e-8])
    assert [(d.conditions.samples, d.winner is None) for d in found] == [
        (12_000, False),
        (1000, True),
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"problem": "maxwell"},
        {"information": "equation"},
        {"samples": 999},
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
    assert "1 of 2 seeds" in found.miss.reason
    two_of_three = method("net", (curve, 1e-6), (curve, 1e-6), ([(1, math.inf)], 1e-6), net=True)
    assert decision([two_of_three], 1e-2).winner.reached == 2


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
    assert found.miss.method is near
    assert found.miss.error == min(error for _, error in curve)
    assert reason in found.miss.reason


def test_a_method_whose_queries_were_not_timed_cannot_win():
    found = decision([method("untimed", ([(1, 1e-9)], None))], 1e-3)
    assert found.winner is None
    assert "not measured" in found.miss.reason


def test_the_search_stands_apart():
    tuned = method("tuned", ([(2.0, 1e-5)], 1e-6), seconds_tuning=(9.0,))
    borrowed = method("borrowed", ([(3.0, 1e-5)], 1e-6), searched_elsewhere=True)
    found = decision([tuned, borrowed], 1e-4)
    assert (found.winner.seconds, found.winner.search) == (2.0, 9.0)
    assert found.runner_up.search == "not counted"
    assert decision([POLYNOMIAL], 1e-4).winner.search == "none"


positive = st.floats(1e-9, 1e6)


@given(positive, positive, positive, positive)
def test_the_break_even_count_is_where_the_totals_meet(T, p, t, q):
    """Against the two sums themselves."""
    N = pay.points_to_pay(T, p, t, q)
    if math.isinf(N):
        assert T + 1e12 * p > t + 1e12 * q or q - p < 1e-6 * q
    else:
        assert T + N * p <= (t + N * q) * (1 + 1e-9)
        if N > 1:
            assert T + (N - 1) * p > (t + (N - 1) * q) * (1 - 1e-9)


@given(positive, positive, positive, positive)
def test_the_count_of_solves_is_where_the_totals_meet(T, p, t, q):
    S = pay.solves_to_pay(T, p, t, q)

    def net(s):
        return T + s * POINTS * p

    def element(s):
        return s * (t + POINTS * q)

    if math.isinf(S):
        assert t + POINTS * q <= POINTS * p
    else:
        assert net(S) <= element(S) * (1 + 1e-6)
        assert S == 1 or net(S - 1) > element(S - 1) * (1 - 1e-6)


def mesh(n, seconds, error, per_point=1e-5):
    return method(f"N0 n={n}", ([(seconds, error)], per_point), series="N0")


def test_break_even_takes_the_cheapest_mesh_that_reaches_the_error():
    meshes = [mesh(4, 0.1, 5e-3), mesh(8, 0.5, 5e-4), mesh(16, 3.0, 5e-5)]
    found = {row.required: row for row in pay.break_even([NET], meshes)}
    assert set(found) == {1e-2, 1e-3, 1e-4}, "nothing is extrapolated beyond the finest mesh"
    row = found[1e-3]
    assert row.element.method.name == "N0 n=8"
    assert row.points.middle == math.ceil((5 - 0.5) / (1e-5 - 5e-6))
    assert row.solves.middle == math.ceil(5 / (0.5 + POINTS * 5e-6))


def test_break_even_refuses_what_was_told_something_else():
    other = Conditions("helix", "equation", None, "the equation", 1)
    element = method("N0 n=4", ([(0.1, 1e-4)], 1e-5), conditions=other)
    with pytest.raises(ValueError, match="do not compare"):
        pay.break_even([NET], [element])


def test_never_is_an_answer_and_takes_part_in_the_interval():
    slow = method("net", ([(1.0, 1e-4)], 1e-3), net=True)
    (row,) = pay.break_even([slow], [mesh(4, 0.1, 1e-4)], [1e-3])
    assert math.isinf(row.points.middle)
    curves = [([(seconds, 1e-4)], 1e-6) for seconds in (1.0, 2.0, 3.0, 4.0)]
    lost = ([(1.0, 1.0)], 1e-6)
    mixed = method("net", *curves, lost, net=True)
    (row,) = pay.break_even([mixed], [mesh(4, 0.1, 1e-4)], [1e-3])
    assert row.points.middle == math.ceil((3.0 - 0.1) / 9e-6)
    assert row.points.low < row.points.middle < row.points.high
    assert math.isinf(row.points.high)


def test_a_search_is_part_of_what_must_be_paid_back():
    tuned = method("net", ([(1.0, 1e-4)], 5e-6), net=True, seconds_tuning=(10.0,))
    (row,) = pay.break_even([tuned], [mesh(4, 0.1, 1e-4)], [1e-3])
    assert row.points.middle == math.ceil((11.0 - 0.1) / 5e-6)


def test_a_net_that_is_ahead_at_once_may_fall_behind():
    fast = method("net", ([(0.1, 1e-4)], 2e-5), net=True)
    (row,) = pay.break_even([fast], [mesh(4, 1.1, 1e-4)], [1e-3])
    assert row.points.middle == 0
    assert row.lead_ends == pytest.approx(1.0 / 1e-5)
