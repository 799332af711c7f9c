"""Domains whose boundary has several components: u × n and div u do not determine u there."""

import numpy as np
import pytest
from scipy.linalg import null_space
from skfem import MeshTet

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from bench.methods.finite_elements import own_measures
from fem import BoundaryValueProblem, solve_boundary_value
from fem.boundary_value import Natural
from fem.meshes import cube
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.faces import boundary_constants
from fem.spaces.tets.mixed import System

PROBLEM = problems.maxwell


def hollow_cube(n, voids=1):
    """The unit cube with n cells per side, without one cell of a third (or two of a fifth)."""
    x = np.linspace(0, 1, n + 1)
    mesh = MeshTet.init_tensor(x, x, x)
    centre = mesh.p[:, mesh.t].mean(axis=1)
    width = 1 / (2 * voids + 1)
    cut = (abs(centre[1:] - 0.5) < width / 2).all(axis=0)
    cut &= (centre[0] // width % 2).astype(int) == 1
    return mesh.restrict(np.flatnonzero(~cut))


@pytest.mark.parametrize(
    ("mesh", "count"), [(cube(3), 0), (hollow_cube(3), 1), (hollow_cube(5, 2), 2)]
)
def test_one_constant_for_each_void(mesh, count):
    """As many as the curl-free fields without trace that are not gradients of interior scalars."""
    complex_ = TetComplex.on(mesh)
    constants = boundary_constants(complex_)
    assert constants.shape[1] == count
    if mesh.nedges > 300:
        return
    system = System.assemble(complex_, boundary_value_data(PROBLEM))
    kernel = null_space(system.free_stiffness.toarray(), rcond=1e-10).shape[1]
    assert kernel == len(system.interior_scalars) + count == system.gradient.shape[1]
    assert abs(system.stiffness @ system.gradient).max() < 1e-10
    outside = np.setdiff1d(np.arange(complex_.dofs), system.free)
    assert abs(system.gradient[outside]).sum() == 0


@pytest.mark.parametrize("element", ["N0", "N1"])
def test_the_field_without_flux_is_found_by_both_solvers(element):
    """u of `maxwell` has no flux through the void, because div u = 0 in it too."""
    data = boundary_value_data(PROBLEM)
    direct, spd = (
        solve_boundary_value(data, mesh=hollow_cube(3), element=element, solver=solver, tol=1e-10)
        for solver in ("direct", "spd")
    )
    assert direct.boundary_components == spd.boundary_components == 2
    np.testing.assert_allclose(spd.x, direct.x, atol=1e-7)
    measured = direct.measure(PROBLEM.u, PROBLEM.curl_u)
    assert measured.l2_error < {"N0": 0.009, "N1": 0.0006}[element]
    assert own_measures(PROBLEM, measured, estimated=False)["boundary_components"] == 2


def test_natural_faces_in_between_separate_the_boundary_too():
    """u × n = 0 on bottom and top, u·n = 0 on the sides: e₃ solves it with all data zero."""
    sides = Natural(
        where=lambda x, n: abs(n[2]) < 0.5,
        normal=lambda x, n: 0 * x[0],
        curl=lambda x, n: np.zeros_like(x),
    )
    data = BoundaryValueProblem(
        f=np.zeros_like, phi=lambda x: np.ones_like(x[0]), g=lambda x, n: np.zeros_like(x),
        natural=sides,
    )  # fmt: skip
    found = solve_boundary_value(data, mesh=cube(2))
    assert found.boundary_components == 2
    assert abs(found.x).max() < 1e-12
