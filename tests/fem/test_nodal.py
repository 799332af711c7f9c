"""Nodal elements: right where fields are smooth, wrong at a re-entrant edge, cured by a weight."""

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from bench.methods.finite_elements import Discretisation, approximate
from fem import UserError, meshes, solve_boundary_value
from fem.boundary_value import BoundaryValueProblem
from fem.meshes.unions import prism
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


def solved(problem, n, **options):
    return approximate(problem, Discretisation(element="nodalP1", n=n, solve=True, **options))


def test_smooth_fields_are_met_at_the_usual_rate():
    """On the cube the same form is right: order one in H(curl), two in L²."""
    coarse, fine = (solved(problems.maxwell, n) for n in (2, 4))
    assert 0.9 < np.log2(coarse.hcurl_error / fine.hcurl_error) < 1.2
    assert 1.8 < np.log2(coarse.l2_error / fine.l2_error) < 2.2


def test_the_wrong_field_at_a_reentrant_edge():
    """Costabel 1991: the error stays at half of u while the energy converges."""
    found = [solved(problems.reentrant, n) for n in (2, 4, 8)]
    relative = [solution.l2_relative for solution in found]
    np.testing.assert_allclose(relative, [0.5907, 0.5564, 0.5355], atol=2e-4)
    energies = [solution.energy for solution in found]
    assert energies[0] > energies[1] > energies[2] > 1.0
    assert energies[1] - energies[2] < 0.6 * (energies[0] - energies[1])


def test_a_weighted_divergence_brings_it_back():
    wrong, cured = (solved(problems.reentrant, 4, div_exponent=a).l2_relative for a in (None, 1.0))
    assert wrong > 0.53
    assert cured < 0.75 * wrong


def test_solvers_agree():
    data = boundary_value_data(problems.reentrant, whole_trace=True)
    direct, multigrid = (
        solve_boundary_value(data, mesh=prism(4), element="nodalP1", solver=solver, tol=1e-10)
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
