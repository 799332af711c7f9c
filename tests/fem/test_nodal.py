"""Nodal elements: right where fields are smooth, wrong at a re-entrant edge, cured by a weight."""

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from bench.methods.finite_elements import Discretisation, approximate
from fem import UserError, meshes, solve_boundary_value
from fem.boundary_value import BoundaryValueProblem
from fem.meshes.unions import prism
from fem.spaces.bricks.mesh import uniform
from fem.spaces.bricks.nodal import NodalBricks
from fem.spaces.bricks.unions import prism as brick_prism
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.nodal import NodalTets


def phi(x):
    return 3.0 + x[0] + 0.5 * x[1] * x[2]


def weight(x):
    return 0.3 + x[0] ** 2 + x[1] ** 2


def skfem_matrix(mesh, element, degree):
    """scikit-fem's assembly of (φ curl u, curl v) + (w div u, div v)."""
    from skfem import Basis, BilinearForm
    from skfem.helpers import ddot, div

    def form(u, v, w):
        du, dv = u.grad, v.grad
        curls = ddot(du, dv) - np.einsum("ij...,ji...->...", du, dv)
        return phi(w.x) * curls + weight(w.x) * div(u) * div(v)

    basis = Basis(mesh, element, intorder=degree)
    return BilinearForm(form).assemble(basis), basis


def test_linear_tets_have_scikit_fems_matrix():
    from skfem import ElementTetP1, ElementVector

    mesh = prism(1)
    space = NodalTets(TetComplex.on(mesh))
    data = BoundaryValueProblem(f=np.zeros_like, phi=phi, g=None, div_weight=weight)
    A, basis = skfem_matrix(space.complex.mesh, ElementVector(ElementTetP1()), 4)
    order = basis.nodal_dofs.ravel()  # component by component
    assert abs(A[order][:, order] - space.matrix(data)).max() < 1e-12


@pytest.mark.parametrize("order", [1, 2])
def test_bricks_have_scikit_fems_energy(order):
    """Bases differ, so that a polynomial field of the space is compared: its energy."""
    from skfem import ElementHex2, ElementVector

    def u(x):  # of degree two in each variable at most, in Q₁³ for order 1
        first = np.stack([x[0] * x[1] - x[2], x[1] * x[2] + 1.0, x[0] - 2.0 * x[2] * x[1]])
        return first if order == 1 else first + np.stack([x[1] ** 2, x[0] ** 2 * x[2], x[2] ** 2])

    mesh = uniform(2, order)
    space = NodalBricks(mesh)
    data = BoundaryValueProblem(f=np.zeros_like, phi=phi, g=None, div_weight=weight)
    x = interpolated(space, u)
    points = np.random.Generator(np.random.Philox(0)).random((3, 50))
    np.testing.assert_allclose(space.evaluate(x, points), u(points), atol=1e-11)
    A, basis = skfem_matrix(meshes.cube(2, "hex"), ElementVector(ElementHex2()), 6)
    y = basis.project(u)
    assert x @ (space.matrix(data) @ x) == pytest.approx(y @ (A @ y), rel=1e-9)


def interpolated(space, u):
    """Least squares at many points: the interpolant of a field of the space."""
    points = np.random.Generator(np.random.Philox(1)).random((3, 600))
    columns = []
    for k in range(space.dofs // 3):
        e = np.zeros(space.dofs)
        e[k] = 1.0
        columns.append(space.evaluate(e, points)[0])
    found = [np.linalg.lstsq(np.array(columns).T, row, rcond=None)[0] for row in u(points)]
    return np.concatenate(found)


@pytest.mark.parametrize(
    ("element", "order", "rate"), [("nodalP1", None, 1), ("nodalQ", 1, 1), ("nodalQ", 2, 2)]
)
def test_smooth_fields_are_met_at_the_usual_rate(element, order, rate):
    """On the cube the same form is right: order p in H(curl), one more in L²."""
    problem = problems.maxwell
    found = [
        approximate(problem, Discretisation(element=element, order=order, n=n, solve=True))
        for n in (2, 4)
    ]
    hcurl = np.log2(found[0].hcurl_error / found[1].hcurl_error)
    l2 = np.log2(found[0].l2_error / found[1].l2_error)
    assert rate - 0.1 < hcurl < rate + 0.2
    assert rate + 0.8 < l2 < rate + 1.2


def test_the_wrong_field_at_a_reentrant_edge():
    """Costabel 1991: the error stays at half of u while the energy converges."""
    found = [
        approximate(problems.reentrant, Discretisation(element="nodalQ", order=1, n=n, solve=True))
        for n in (2, 4, 8)
    ]
    relative = [solution.l2_relative for solution in found]
    np.testing.assert_allclose(relative, [0.5626, 0.5390, 0.5250], atol=2e-4)
    energies = [solution.energy for solution in found]
    assert energies[0] > energies[1] > energies[2] > 1.0
    assert energies[1] - energies[2] < 0.6 * (energies[0] - energies[1])


@pytest.mark.parametrize(("element", "order"), [("nodalP1", None), ("nodalQ", 1)])
def test_a_weighted_divergence_brings_it_back(element, order):
    wrong, cured = (
        approximate(
            problems.reentrant,
            Discretisation(element=element, order=order, n=4, solve=True, div_exponent=a),
        ).l2_relative
        for a in (None, 1.0)
    )
    assert wrong > 0.53
    assert cured < 0.75 * wrong


def test_solvers_agree():
    data = boundary_value_data(problems.reentrant, whole_trace=True)
    direct, multigrid = (
        solve_boundary_value(
            data, mesh=brick_prism(4, 1), element="nodalQ", solver=solver, tol=1e-10
        )
        for solver in ("direct", "multigrid")
    )
    np.testing.assert_allclose(direct.x, multigrid.x, atol=1e-6)
    assert multigrid.iterations < 40


def test_what_nodal_elements_refuse():
    with pytest.raises(UserError, match="only the boundary-value problem"):
        approximate(problems.maxwell, Discretisation(element="nodalP1", n=2))
    with pytest.raises(UserError, match="parallel to two axes"):
        solve_boundary_value(
            boundary_value_data(problems.maxwell, whole_trace=True),
            mesh=meshes.cylinder(1),
            element="nodalP1",
        )
    with pytest.raises(UserError, match="trace g whole"):
        solve_boundary_value(boundary_value_data(problems.screen), 2, element="nodalP1")
