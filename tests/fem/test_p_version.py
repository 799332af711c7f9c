"""The p-version: exponential convergence, the lowest order as a known case, dense algebra."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from bench import problems
from fem import UserError, best_approximation
from fem.spaces.bricks.mesh import uniform


def solve(problem, order, n=1, **options):
    return best_approximation(problem.u, problem.curl_u, n, element="hexP", order=order, **options)


def test_maxwell_falls_below_1e_7_with_under_2000_dofs():
    solution = solve(problems.maxwell, 6)
    assert solution.dofs == 882
    assert solution.l2_error < 1e-7
    assert solve(problems.maxwell, 8).hcurl_error < 1e-9


def test_helix_gains_a_factor_of_five_an_order():
    errors = [solve(problems.helix, p).l2_error for p in range(4, 13)]
    assert all(later < earlier / 5 for earlier, later in pairwise(errors))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_order_one_is_the_lowest_order_element(n):
    lowest = best_approximation(problems.helix.u, problems.helix.curl_u, n, element="hexN0")
    solution = solve(problems.helix, 1, n)
    assert solution.dofs == lowest.dofs
    assert solution.l2_error == pytest.approx(lowest.l2_error, rel=1e-6)
    assert solution.hcurl_error == pytest.approx(lowest.hcurl_error, rel=1e-6)
    points = np.random.default_rng(n).random((3, 50))
    assert np.allclose(solution(points), lowest(points), atol=1e-6)
    assert np.allclose(solution.curl(points), lowest.curl(points), atol=1e-5)


def test_one_cell_against_monomials():
    """Order 2 on one cell by a dense Gram matrix of monomials, integrated in closed form."""
    order, problem = 2, problems.helix
    degrees = [
        (d, i, j, k)
        for d in range(3)
        for i, j, k in np.ndindex(*[order + (axis != d) for axis in range(3)])
    ]
    x, w = np.polynomial.legendre.leggauss(12)
    x, w = (x + 1) / 2, w / 2
    grid = np.stack(np.meshgrid(x, x, x, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", w, w, w)

    def powers(exponents, slope=None):
        factors = [Polynomial.basis(e) for e in exponents]
        if slope is not None:
            factors[slope] = factors[slope].deriv()
        return np.prod([f(grid[axis]) for axis, f in enumerate(factors)], axis=0)

    values, curls = [], []
    for d, *exponents in degrees:
        value, curl = np.zeros((2, 3, *weights.shape))
        value[d] = powers(exponents)
        a, b = (d + 1) % 3, (d + 2) % 3
        curl[a], curl[b] = powers(exponents, b), -powers(exponents, a)
        values.append(value)
        curls.append(curl)
    values, curls = np.array(values), np.array(curls)
    gram = np.einsum("idxyz,jdxyz,xyz->ij", values, values, weights)
    gram += np.einsum("idxyz,jdxyz,xyz->ij", curls, curls, weights)
    load = np.einsum("idxyz,dxyz,xyz->i", values, problem.u(grid), weights)
    load += np.einsum("idxyz,dxyz,xyz->i", curls, problem.curl_u(grid), weights)
    u_h = np.tensordot(np.linalg.solve(gram, load), values, axes=1)
    assert np.allclose(u_h, solve(problem, order)(grid), atol=1e-9)


def test_evaluation_has_any_shape_and_stays_in_the_cube():
    solution = solve(problems.maxwell, 9)
    points = np.random.default_rng(0).random((3, 4, 5))
    assert np.allclose(solution(points), problems.maxwell.u(points), atol=1e-11)
    assert np.allclose(solution.curl(points), problems.maxwell.curl_u(points), atol=1e-10)
    with pytest.raises(UserError, match="outside the mesh"):
        solution(np.full((3, 1), 1.5))


def test_singular_fields_are_integrated_with_grading():
    problem = problems.screen
    errors = [solve(problem, p, singular_edge=problem.singular_edge).l2_error for p in (2, 4, 8)]
    assert errors == sorted(errors, reverse=True)  # algebraic: the p-version has no magic here
    # order 1 on one cell, against the polar rules of the other path
    lowest = best_approximation(
        problem.u, problem.curl_u, 1, element="hexN0", singular_edge=problem.singular_edge
    )
    assert solve(problem, 1, singular_edge=problem.singular_edge).l2_error == pytest.approx(
        lowest.l2_error, rel=1e-4
    )


@pytest.mark.parametrize("order", [0, -2])
def test_an_order_below_one_is_refused(order):
    with pytest.raises(UserError, match="order"):
        solve(problems.maxwell, order)
    with pytest.raises(UserError, match="order must be at least 1"):
        uniform(1, order)


def test_an_order_beyond_memory_is_refused_before_it_is_tried():
    with pytest.raises(UserError, match="GiB"):
        solve(problems.maxwell, 5000)
