"""The cells of finite elements: tracks, grading, the split at r = 1, fits to samples."""

import numpy as np
import pytest

from bench import problems
from bench.cells import Cell, load_kind
from bench.measure.queries import POINTS, TRIAL, seconds_per_point
from bench.studies import plan


def values(kind="fem", **config):
    return load_kind(kind).run(Cell(kind, config).settings).values


def test_best_approximation_is_split_at_the_cylinder():
    found = values(n=2)
    parts = np.hypot(found["l2_error_inside"], found["l2_error_outside"])
    assert parts == pytest.approx(found["l2_error"], rel=1e-4)
    assert found["l2_error"] == pytest.approx(1.06567e-2, rel=1e-4)
    assert found["smooth"] is True
    assert found["seconds"] == pytest.approx(found["seconds_load"] + found["seconds_solve"])


def test_the_solved_problem_is_told_no_u_and_is_a_little_worse():
    best, solved = values(n=2), values(n=2, solve=True)
    assert best["hcurl_error"] < solved["hcurl_error"] < 1.5 * best["hcurl_error"]
    assert solved["multiplier_norm"] < 1e-6
    assert 1 < solved["effectivity"] < 10


def test_high_order_on_one_cell_beats_sixty_four_cells_of_lowest_order():
    assert values(n=1, element="hexP", order=4)["l2_error"] < values(n=2)["l2_error"] / 100


def test_grading_helps_at_the_singular_edge():
    graded = values(n=8, problem="screen", grading=2.5)
    assert graded["l2_error"] < 0.9 * 0.09717  # the uniform mesh with as many cells
    assert graded["smooth"] is False
    assert "l2_error_inside" not in graded


def test_fitted_elements_learn_from_samples_and_know_nothing_outside():
    coarse, fine = values("fem_fit", n=1, samples=3000), values("fem_fit", n=2, samples=3000)
    assert fine["rel_test_error"] < coarse["rel_test_error"] < 0.05
    assert "l2_error" not in fine


def test_query_points_lie_where_every_method_is_defined():
    x = problems.maxwell.domain.query_points(1000)
    assert ((x >= 0) & (x <= 1)).all()
    assert (np.hypot(x[0], x[1]) <= 1).all()


def test_time_per_point_gives_up_on_slow_fields():
    asked = []

    def slow(x):
        import time

        asked.append(x.shape[1])
        time.sleep(0.05 * x.shape[1] / TRIAL)
        return x

    assert seconds_per_point(slow) == pytest.approx(0.05 / TRIAL, rel=0.5)
    assert max(asked) == TRIAL < POINTS


@pytest.mark.parametrize("study", ["elements", "baselines"])
def test_studies_ask_for_cells_that_exist(study):
    for preset in ("quick", "paper", "full"):
        (found,) = plan([study], preset, {})
        assert {cell.config["problem"] for cell in found.cells} <= set(problems.names())
        assert len(set(found.cells)) == len(found.cells)
