"""The mixed form tested with functions of a mesh: consistency, duality, refinement."""

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import solve_boundary_value
from fem.mixed_tests import mixed_tests


@pytest.mark.parametrize("name", ["maxwell", "reentrant3d"])
def test_the_discrete_solution_leaves_no_residual(name):
    """Kikuchi's system is these equations, but for (∇p, w): p vanishes where div f = 0."""
    problem = problems.get(name)
    data = boundary_value_data(problem)
    mesh = problem.domain.mesh(2, "tet")
    solution = solve_boundary_value(data, mesh=mesh, solver="direct")
    tests = mixed_tests(data, mesh, degree=6)
    complex_ = tests.complex
    values = complex_.evaluate(solution.x, tests.points)
    curls = complex_.evaluate_curl(solution.x, tests.points)
    r = tests.residuals(values, curls)
    nothing = tests.residuals(0 * values, 0 * curls)
    # f is not solenoidal for the mesh's own potentials: what is left is ∇p_h
    assert sum(tests.dual_squares(r)) < 2e-3 * sum(tests.dual_squares(nothing))


def test_the_divergence_part_bounds_the_error_from_below_and_grows_with_the_mesh():
    problem = problems.reentrant3d
    table = problem.domain.rules()["whole"]

    def wrong(x):
        return 0.5 * problem.u(x)

    squares = []
    for n in (1, 2, 4):  # uniform meshes are nested
        tests = mixed_tests(boundary_value_data(problem), problem.domain.mesh(n, "tet"), degree=6)
        curls = 0.5 * problem.curl_u(tests.points)
        squares.append(tests.dual_squares(tests.residuals(wrong(tests.points), curls))[1])
    error = sum(
        float((((problem.u(piece.points) - wrong(piece.points)) ** 2).sum(axis=0)) @ piece.weights)
        for piece in table.chunks()
    )
    assert squares[0] <= squares[1] <= squares[2] <= error
    assert squares[2] > 0


def test_whitened_rows_have_the_dual_squares():
    problem = problems.maxwell
    tests = mixed_tests(boundary_value_data(problem), problem.domain.mesh(2, "tet"))
    generator = np.random.default_rng(0)
    values, curls = generator.standard_normal((2, *tests.points.shape))
    first, second, data = tests.whitened()
    r = np.concatenate([first @ (tests.phi * curls).ravel(), second @ values.ravel()]) - data
    expected = sum(tests.dual_squares(tests.residuals(values, curls)))
    assert r @ r == pytest.approx(expected, rel=1e-9)
    assert len(tests) == len(r)
