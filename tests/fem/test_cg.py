"""Conjugate gradients against a dense solve."""

import numpy as np
import pytest

from base.errors import NotConverged
from fem import How
from fem.solvers.cg import MatrixSystem, advance, conjugate_gradients, norm


@pytest.fixture
def problem():
    rng = np.random.Generator(np.random.Philox(3))
    half = rng.standard_normal((40, 40))
    return half @ half.T + 5 * np.eye(40), rng.standard_normal(40)


def jacobi(matrix):
    diagonal = matrix.diagonal()
    return MatrixSystem(lambda v: matrix @ v, lambda v: v / diagonal)


@pytest.mark.parametrize("threads", [1, 2])
def test_equals_the_dense_solve(problem, threads):
    matrix, b = problem
    seen = []
    x, iterations, residual = conjugate_gradients(
        jacobi(matrix), b.copy(), np.zeros(40), How(
            tol=1e-12, threads=threads,
            progress=lambda phase, done, total: seen.append((phase, done / total)),
        ),
    )  # fmt: skip
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=0, atol=1e-11)
    assert iterations <= 60
    assert residual == pytest.approx(norm(b - matrix @ x) / norm(b), rel=1e-2)
    assert seen[0] == ("solve", 0.0)
    assert seen[-1] == ("solve", 1.0)


def test_a_good_guess_saves_iterations_and_an_exact_one_all(problem):
    matrix, b = problem
    exact = np.linalg.solve(matrix, b)

    def iterations(guess):
        return conjugate_gradients(
            jacobi(matrix), b - matrix @ guess, guess.copy(), norm_b=norm(b)
        ).iterations

    assert iterations(exact) == 0
    assert 0 < iterations(exact * (1 + 1e-5)) < iterations(np.zeros(40))


def test_zero_right_hand_side_is_solved_by_zero(problem):
    matrix, _ = problem
    assert conjugate_gradients(jacobi(matrix), np.zeros(40), np.zeros(40)).iterations == 0


def test_stopping_short_says_how_far_it_came(problem):
    matrix, b = problem
    with pytest.raises(NotConverged, match=r"after 3 iterations at a relative residual of \d"):
        conjugate_gradients(jacobi(matrix), b.copy(), np.zeros(40), max_iterations=3)


def test_sums_do_not_depend_on_the_number_of_threads():
    rng = np.random.Generator(np.random.Philox(1))
    r, x, p, q = rng.standard_normal((4, 300_001))
    assert norm(r, 1) == norm(r, 2)
    one, two = (advance(x.copy(), r.copy(), p, q, 0.3, threads) for threads in (1, 2))
    assert one == two == pytest.approx(np.sum((r - 0.3 * q) ** 2), rel=1e-12)
