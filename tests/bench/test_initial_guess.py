"""A field as the start of conjugate gradients: starts that are known, and the arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from bench.methods.open_questions import initial_guess
from fem import best_approximation
from fem.boundary_value import solve_boundary_value

MAXWELL = problems.maxwell


@pytest.mark.parametrize("boundary_value", [False, True])
def test_the_solution_itself_is_the_best_start(boundary_value):
    ladder = initial_guess.Ladder(MAXWELL, "N0", boundary_value)
    rows = initial_guess.rows(ladder, (8,), ladder.solved(8, np.zeros_like))
    assert rows[0]["net_iterations"] <= 1
    assert rows[0]["coarse_iterations"] < rows[0]["zero_iterations"]


def test_a_start_changes_the_iterations_and_not_the_solution():
    data = boundary_value_data(MAXWELL)
    plain, guessed = (
        solve_boundary_value(data, 8, solver="cube", tol=1e-10, x0=start)
        for start in (None, lambda x: 0.9 * MAXWELL.u(x))
    )
    assert guessed.iterations < plain.iterations
    assert guessed.x == pytest.approx(plain.x, abs=1e-9)


def test_zero_is_not_the_interpolant_with_which_a_best_approximation_begins():
    ladder, n = initial_guess.Ladder(MAXWELL, "N0", boundary_value=False), 16
    (row,) = initial_guess.rows(ladder, (n,), MAXWELL.u)
    own = best_approximation(MAXWELL.u, MAXWELL.curl_u, n, tol=ladder.tol)
    assert own.iterations <= row["net_iterations"] < row["zero_iterations"]


def test_where_the_guess_stops_helping():
    rows = [
        {"n": 8, "hcurl_error": 0.2, "coarse_iterations": 20, "net_iterations": 15},
        {"n": 16, "hcurl_error": 0.1, "coarse_iterations": 17, "net_iterations": 16},
        {"n": 32, "hcurl_error": 0.05, "coarse_iterations": 15, "net_iterations": 16},
    ]
    assert initial_guess.measured_n(rows) == 32
    assert initial_guess.measured_n(rows[:2]) is None
    # errors fall like 1/n, so the mesh with the net's error 0.1 has 16 cells per side
    assert initial_guess.predicted_n(rows, 0.1, 1) == pytest.approx(32)
    assert initial_guess.predicted_n(rows, 0.05 / 4, 2) == pytest.approx(128)


def test_a_training_is_repaid_or_never():
    rows = [{"zero_seconds": 3.0, "coarse_seconds": 1.0, "net_seconds": 2.0}]
    assert initial_guess.repaid_after(rows, 10.0, "zero") == pytest.approx(10)
    assert initial_guess.repaid_after(rows, 10.0, "coarse") is None


def test_from_the_coarser_mesh_the_distance_falls_like_h_and_the_residual_like_its_root():
    """The prediction is one of distances in H(curl); conjugate gradients watch the residual, in
    which the jumps of the coarser solution from cell to cell count more than smooth errors."""
    starting, solving = (
        initial_guess.Ladder(MAXWELL, "N0", boundary_value=False, tol=tol) for tol in (0.99, 1e-8)
    )
    solved = {n: solving.solved(n, np.zeros_like) for n in (4, 8, 16)}
    distances, residuals = [], []
    for n in (8, 16):
        start = starting.solved(n, solved[n // 2])
        assert start.iterations == 0
        distances.append((start.hcurl_error**2 - solved[n].hcurl_error ** 2) ** 0.5)
        residuals.append(start.residual)
    assert distances[0] / distances[1] == pytest.approx(2.0, rel=0.05)
    assert residuals[0] / residuals[1] == pytest.approx(2**0.5, rel=0.1)
