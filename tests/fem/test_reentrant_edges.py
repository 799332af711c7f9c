"""Re-entrant edges: meshes, rates, thin cells, natural faces."""

import math
from itertools import pairwise

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from bench.methods.finite_elements import Discretisation, adapted, approximate
from fem import BoundaryValueProblem, How, UserError, best_approximation, solve_boundary_value
from fem.boundary_value import Natural, trace_of
from fem.meshes.checks import check
from fem.meshes.tets import Tets
from fem.meshes.unions import fichera, graded_line, prism
from fem.rules.polar import Resolution
from fem.rules.quadrature import integrate
from fem.rules.reentrant import around_edge
from fem.solvers.blocks import BlockSmoother
from fem.solvers.thin_cells import block_of_edges, has_thin_cells
from fem.spaces.tets.local_matrices import curl_curl_mass

PROBLEM = problems.reentrant


def best(n, grading=None, tol=1e-8):
    return best_approximation(
        PROBLEM.u, PROBLEM.curl_u, mesh=prism(n, "tet", grading), solver="general",
        singular_edge=PROBLEM.singular_edge, tol=tol,
    )  # fmt: skip


@pytest.mark.parametrize(("make", "volume"), [(prism, 3.0), (fichera, 7.0)])
@pytest.mark.parametrize("cell", ["tet", "hex"])
def test_meshes_fill_their_domains(make, volume, cell):
    mesh = make(2, cell, 2.0)
    check(mesh)
    assert np.unique(mesh.t).size == mesh.p.shape[1]  # no node without a cell
    if cell == "tet":
        assert Tets.of(mesh).volumes.sum() == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(np.unique(mesh.p[0].round(12)), [-1, -0.25, 0, 0.25, 1])


def test_bad_lines():
    with pytest.raises(UserError, match="at least 1"):
        graded_line(0)
    with pytest.raises(UserError, match=r"\[1, 10\]"):
        graded_line(2, 0.5)


def test_the_rule_about_the_edge_is_exact_for_the_singularity():
    """∫ |u|² = ∫ ψ ∂_n ψ over the boundary (Green), here by plain Gauss: ψ is smooth there."""
    rule = around_edge(Resolution(order=6, angle=2, radius=3, height=2))
    square = integrate(lambda x: (PROBLEM.u(x) ** 2).sum(axis=0), rule)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t, w = (nodes + 1) / 2, weights / 2
    flux = 0.0
    sides = [  # corner, direction, outward normal of the four outer sides
        ((1, 0), (0, 1), (1, 0)), ((-1, 1), (2, 0), (0, 1)),
        ((-1, -1), (0, 2), (-1, 0)), ((-1, -1), (1, 0), (0, -1)),
    ]  # fmt: skip
    for corner, direction, normal in sides:
        x = np.stack([corner[k] + direction[k] * t for k in range(2)] + [0 * t])
        slope = PROBLEM.u(x)[0] * normal[0] + PROBLEM.u(x)[1] * normal[1]
        flux += math.hypot(*direction) * np.sum(w * PROBLEM.potential(x) * slope)
    assert square == pytest.approx(flux, rel=1e-7)


def test_rates_climb_towards_two_thirds_and_grading_lifts_them():
    uniform = [best(n).l2_error for n in (2, 4, 8)]
    graded = [best(n, 2.5).l2_error for n in (4, 8)]
    first, second = (math.log2(a / b) for a, b in pairwise(uniform))
    assert 0.55 < first < second < 0.62  # 0.561, 0.610; then 0.635, 0.648
    assert 0.86 < math.log2(graded[0] / graded[1]) < 0.9  # 0.874; then 0.947, 0.978


def test_blocks_are_pairs_of_clusters():
    assert block_of_edges(Tets.of(prism(2))) is None
    tets = Tets.of(prism(4, "tet", 2.5))
    assert has_thin_cells(tets)
    block = block_of_edges(tets)
    matrix = curl_curl_mass(tets)
    smoother = BlockSmoother.build(matrix, tets)
    r = np.random.Generator(np.random.Philox(0)).standard_normal(len(block))
    x, rest = smoother.forward(r)
    np.testing.assert_allclose(rest, r - matrix @ x, atol=1e-9)
    last = np.flatnonzero(block == block.max())  # the last block leaves no residual of its own
    np.testing.assert_allclose(rest[last], 0, atol=1e-9)
    # the sweep there and back is symmetric
    y, rest_y = smoother.forward(s := np.roll(r, 7))
    smoother.backward(rest, x)
    smoother.backward(rest_y, y)
    assert x @ s == pytest.approx(y @ r, rel=1e-9)


def natural_sides(problem):
    """On x₁ = 0 and x₁ = 1, where `maxwell` has neither u·n = 0 nor curl u × n = 0."""
    return Natural(
        where=lambda x, n: abs(abs(n[0]) - 1) < 1e-9,
        normal=lambda x, n: (problem.u(x) * n).sum(axis=0),
        curl=lambda x, n: np.cross(problem.phi(x) * problem.curl_u(x), n, axis=0),
    )


@pytest.mark.parametrize(
    ("element", "n", "order", "bound"),
    [("N0", 4, None, 0.0065), ("N1", 2, None, 0.00115), ("hexP", 1, 4, 1.5e-5)],
)
def test_natural_faces_are_as_good_as_given_ones(element, n, order, bound):
    problem = problems.maxwell
    data = BoundaryValueProblem(
        f=problem.f, phi=problem.phi, grad_phi=problem.grad_phi, g=trace_of(problem.u),
        natural=natural_sides(problem),
    )  # fmt: skip
    found = solve_boundary_value(data, n, element=element, order=order)
    found = found.measure(problem.u, problem.curl_u)
    assert found.l2_error < bound
    assert found.multiplier_norm < 1e-10  # div f = 0 and consistent data: no multiplier
    wrong = BoundaryValueProblem(
        f=problem.f, phi=problem.phi, grad_phi=problem.grad_phi, g=trace_of(problem.u),
        natural=Natural(
            where=natural_sides(problem).where,
            normal=natural_sides(problem).normal,
            curl=lambda x, n: np.zeros_like(x),
        ),
    )  # fmt: skip
    missed = solve_boundary_value(wrong, n, element=element, order=order)
    assert missed.measure(problem.u, problem.curl_u).hcurl_error > 3 * found.hcurl_error


def test_natural_everywhere_is_refused():
    problem = problems.maxwell
    everywhere = Natural(
        where=lambda x, n: np.ones(x.shape[1:], bool),
        normal=natural_sides(problem).normal,
        curl=natural_sides(problem).curl,
    )
    data = BoundaryValueProblem(
        f=problem.f, phi=problem.phi, g=trace_of(problem.u), natural=everywhere
    )
    for element, order in (("N0", None), ("hexP", 2)):
        with pytest.raises(UserError, match="given nowhere"):
            solve_boundary_value(data, 2, element=element, order=order)


@pytest.mark.parametrize("problem", [problems.reentrant, problems.reentrant3d])
def test_the_boundary_value_problem_converges(problem):
    errors = [
        approximate(problem, Discretisation(n=n, solve=True, grading=2.5)).l2_error for n in (2, 4)
    ]
    assert math.log2(errors[0] / errors[1]) > 0.55


def test_layers_of_bricks_converge_exponentially():
    errors = [
        approximate(PROBLEM, Discretisation(element="hexP", order=1, layers=k, n=1)).l2_error
        for k in (1, 2, 3)
    ]
    assert errors[1] < 0.35 * errors[0]
    assert errors[2] < 0.35 * errors[1]


def test_adaptive_meshes_go_to_the_edge():
    found = list(adapted(PROBLEM, Discretisation(n=2, solve=True, refine=6)))
    rate = math.log(found[0].l2_error / found[-1].l2_error)
    rate /= math.log(found[-1].dofs / found[0].dofs) / 3
    assert rate > 0.85  # uniform meshes: 0.6
    mesh = found[-1].complex.mesh
    sizes = np.cbrt(found[-1].complex.geometry[1])
    middle = mesh.p[:, mesh.t].mean(axis=1)
    at_edge = np.hypot(middle[0], middle[1]) < 0.2
    assert sizes[at_edge].mean() < 0.6 * sizes[~at_edge].mean()
    eta = found[-1].estimate(boundary_value_data(PROBLEM))
    assert 1.0 < eta / found[-1].hcurl_error < 6.0


def test_errors_at_the_edge_do_not_depend_on_the_rule():
    """N0's error by the rule of its own mesh and by the polar rule of the domain."""
    from bench.measure.norms import field_errors

    solution = best(2)
    fine = PROBLEM.domain.rules((PROBLEM.singular_edge,), Resolution(8, 8, 6, 8))
    measured = field_errors(solution, PROBLEM, rules=fine)["l2_error"]
    own = solution.measure(PROBLEM.u, PROBLEM.curl_u, How(singular_edge=(0.0, 0.0))).l2_error
    assert own == pytest.approx(solution.l2_error, rel=1e-12)
    assert measured == pytest.approx(own, rel=1e-2)
