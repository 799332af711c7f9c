"""The boundary-value problem: rates, constraints, two solvers, the estimator, bad data."""

from dataclasses import replace

import numpy as np
import pytest
import skfem
from skfem.helpers import curl, dot, grad

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import UserError, meshes, rates
from fem.boundary_value import BoundaryValueProblem, solve_boundary_value, trace_of
from fem.estimator import estimate, total

SIZES = {"N0": (4, 8, 12), "N1": (2, 4, 8)}


def solved(problem, n, element, **options):
    return solve_boundary_value(boundary_value_data(problem), n, element=element, **options)


@pytest.mark.parametrize("element", ["N0", "N1"])
@pytest.mark.parametrize("problem", ["maxwell", "helix"])
def test_smooth_problems_converge_at_the_order_and_the_estimator_follows(problem, element):
    field = problems.get(problem)
    found = [solved(field, n, element) for n in SIZES[element]]
    errors = [solution.errors(field.u, field.curl_u) for solution in found]
    order = {"N0": 1, "N1": 2}[element]
    for kind in (0, 1):
        rate = rates([s.h for s in found], [error[kind] for error in errors])[-1]
        assert abs(rate - order) < 0.1
    for solution in found:
        assert solution.divergence < 1e-8
        assert solution.multiplier_norm < 1e-8
    indices = [
        total(estimate(boundary_value_data(field), s)) / e[1]
        for s, e in zip(found, errors, strict=True)
    ]
    assert 1 < min(indices) < max(indices) < 10
    assert max(indices) < 1.2 * min(indices)


@pytest.mark.parametrize("element", ["N0", "N1"])
@pytest.mark.parametrize("problem", ["screen", "curlsing"])
def test_singular_problems_converge_at_the_rate_of_their_singularity(problem, element):
    field = problems.get(problem)
    found = [solved(field, n, element) for n in (4, 8)]
    errors = [s.errors(field.u, field.curl_u, field.singular_edge)[1] for s in found]
    assert 0.45 < rates([s.h for s in found], errors)[-1] < 0.62
    assert all(solution.divergence < 1e-8 for solution in found)
    assert all(solution.multiplier_norm < 1e-5 for solution in found)


@pytest.mark.parametrize("element", ["N0", "N1"])
@pytest.mark.parametrize("problem", problems.names())
def test_three_spd_solves_agree_with_the_saddle_point(problem, element):
    direct, spd = (
        solved(problems.get(problem), 3, element, solver=solver, tol=1e-12)
        for solver in ("direct", "spd")
    )
    assert np.allclose(direct.x, spd.x, atol=1e-9)
    assert spd.iterations > 0 == direct.iterations


def test_the_saddle_point_against_scikit_fem():
    """The whole system assembled by scikit-fem's own forms, boundary dofs condensed there."""
    field = problems.helix
    mesh = meshes.cube(3)
    edge = skfem.Basis(mesh, skfem.ElementTetN0(), intorder=4)
    node = skfem.Basis(mesh, skfem.ElementTetP1(), intorder=4)
    K = skfem.BilinearForm(lambda u, v, w: field.phi(w.x) * dot(curl(u), curl(v))).assemble(edge)
    B = skfem.BilinearForm(lambda p, v, w: dot(grad(p), v)).assemble(node, edge)
    load = skfem.LinearForm(lambda v, w: dot(field.f(w.x), v)).assemble(edge)
    ours = solved(field, 3, "N0", solver="direct")
    fixed = mesh.boundary_edges()
    x = np.zeros(edge.N + node.N)
    x[fixed] = ours.x[fixed]
    held = np.concatenate([fixed, edge.N + mesh.boundary_nodes()])
    matrix = skfem.bmat([[K, B], [B.T, None]], "csr")
    b = np.concatenate([load, np.zeros(node.N)])
    solution = skfem.solve(*skfem.condense(matrix, b, x=x, D=held))
    assert np.allclose(solution[: edge.N], ours.x, atol=2e-4)  # rules of degree 4 and 11


@pytest.mark.parametrize("element", ["N0", "N1"])
def test_exact_for_fields_of_the_space_with_a_source(element):
    """u = (x₁, 2x₂, −x₃) + e_z × x has div u = 2 and curl u = 2 e_z, so f = ∇φ × 2 e_z; N1 has it,
    N0 has only the second part."""
    field = problems.maxwell
    rotation = lambda x: np.stack([-x[1], x[0], 0 * x[0]])  # noqa: E731
    stretch = lambda x: np.stack([x[0], 2 * x[1], -x[2]]) * (element == "N1")  # noqa: E731
    spin = lambda x: np.stack([0 * x[0], 0 * x[0], 2 + 0 * x[0]])  # noqa: E731
    problem = BoundaryValueProblem(
        f=lambda x: np.cross(field.grad_phi(x), spin(x), axis=0),
        phi=field.phi,
        grad_phi=field.grad_phi,
        g=trace_of(lambda x: rotation(x) + stretch(x)),
        rho=lambda x: 2.0 * (element == "N1") + 0 * x[0],
    )
    solution = solve_boundary_value(problem, 3, element=element)
    assert max(solution.errors(lambda x: rotation(x) + stretch(x), spin)) < 1e-12
    assert total(estimate(problem, solution)) < 1e-11
    points = np.random.default_rng(0).random((3, 20))
    assert np.allclose(solution(points), rotation(points) + stretch(points))
    assert np.allclose(solution.curl(points), spin(points))


def test_gradient_part_may_come_as_a_potential():
    """ψ smooth: the trace by ψ and the trace by ∇ψ × n agree to the order of interpolation."""
    psi = lambda x: x[0] * x[1]  # noqa: E731
    grad_psi = lambda x: np.stack([x[1], x[0], 0 * x[0]])  # noqa: E731
    field = problems.maxwell
    base = boundary_value_data(field)
    split = replace(base, potential=psi)
    whole = replace(base, g=trace_of(lambda x: field.u(x) + grad_psi(x)))
    a, b = (solve_boundary_value(data, 3, element="N1") for data in (split, whole))
    assert np.allclose(a.x, b.x, atol=1e-10)


def test_data_that_cannot_be():
    data = boundary_value_data(problems.maxwell)
    with pytest.raises(UserError, match=r"tangential.*u × n"):
        solve_boundary_value(replace(data, g=lambda x, n: problems.maxwell.u(x) + n), 2)
    with pytest.raises(UserError, match="phi must be positive"):
        solve_boundary_value(replace(data, phi=lambda x: x[0] - 0.5), 2)
    with pytest.raises(UserError, match="N0 or N1"):
        solve_boundary_value(data, 2, element="hexN0")
    with pytest.raises(UserError, match="solver must be"):
        solve_boundary_value(data, 2, solver="magic")
    with pytest.raises(UserError, match="at least 1"):
        solve_boundary_value(data, 0)
    with pytest.raises(UserError, match="either n"):
        solve_boundary_value(data)
    with pytest.raises(UserError, match="grad_phi"):
        estimate(replace(data, grad_phi=None), solve_boundary_value(data, 2))


@pytest.mark.parametrize("tol", [-1.0, 0.0, 1.0, float("nan")])
def test_a_tolerance_that_no_residual_meets_is_refused(tol):
    with pytest.raises(UserError, match="tol must lie between 0 and 1"):
        solved(problems.get("maxwell"), 1, "N0", tol=tol)
