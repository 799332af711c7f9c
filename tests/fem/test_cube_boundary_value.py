"""N₀ on the uniform cube without a matrix: every part against the assembled one."""

from dataclasses import replace

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import meshes
from fem.boundary_value import solve_boundary_value
from fem.spaces.cube import boundary_value as cube
from fem.spaces.cube.cells import TET_CLASSES, mesh_dofs, size
from fem.spaces.cube.weighted import WeightedCurlCurl, hold_zero
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.dofs import trace_dofs

N = 4


@pytest.fixture(scope="module")
def assembled():
    """The general space, and vectors taken from its numbering to that of the cube."""
    complex_ = TetComplex.on(meshes.cube(N))
    numbers, signs = mesh_dofs(complex_.mesh, N, TET_CLASSES)
    return complex_, lambda x: x[numbers] * signs, numbers, signs


def test_products_against_the_assembled_matrices(assembled):
    complex_, moved, numbers, signs = assembled
    x = np.random.default_rng(0).normal(size=size(N, TET_CLASSES))
    general = np.empty_like(x)
    general[numbers] = x * signs
    phi = problems.helix.phi
    K = complex_.stiffness(phi)
    ours = WeightedCurlCurl(N, phi)
    assert np.allclose(ours(x), hold_zero(moved(K @ general), N), atol=1e-12)
    inside = hold_zero(np.ones_like(x), N) > 0
    assert np.allclose(ours.diagonal()[inside], K.diagonal()[numbers][inside])
    assert np.allclose(cube.mass(N)(x), moved(complex_.mass() @ general))


def test_gradients_and_the_seven_point_stencil(assembled):
    complex_, moved, *_ = assembled
    p = np.random.default_rng(1).normal(size=(N + 1,) * 3)
    vertex = tuple(np.rint(complex_.mesh.p * N).astype(int))
    assert np.allclose(cube.gradient(p, N), moved(complex_.gradient @ p[vertex]))
    x = np.random.default_rng(2).normal(size=size(N, TET_CLASSES))
    assert np.vdot(p, cube.gradient_transposed(x, N)) == pytest.approx(x @ cube.gradient(p, N))
    p[[0, N]] = p[:, [0, N]] = p[:, :, [0, N]] = 0.0
    b = cube.gradient_transposed(cube.mass(N)(cube.gradient(p, N)), N)
    assert np.allclose(cube.poisson(b, N), p)


def test_data_against_the_general_path(assembled):
    complex_, moved, *_ = assembled
    field = problems.helix
    data = replace(boundary_value_data(field), rho=lambda x: 1.0 + x[0] ** 2 * x[2])
    assert np.allclose(cube.boundary_dofs(data, N), moved(trace_dofs(complex_, data.g)), atol=1e-9)
    assert np.allclose(cube.vector_load(data, N), moved(complex_.load(field.f, 6)), atol=1e-8)
    vertex = tuple(np.rint(complex_.mesh.p * N).astype(int))
    assert np.allclose(cube.scalar_load(data, N)[vertex], complex_.scalar_load(data.rho, 6))


@pytest.mark.parametrize(
    "problem", [p for p in problems.names() if problems.get(p).domain.structured]
)
def test_the_solution_is_that_of_the_saddle_point(problem, assembled):
    _, moved, *_ = assembled
    data = replace(boundary_value_data(problems.get(problem)), rho=lambda x: 1.0 + x[0] * x[2])
    direct = solve_boundary_value(data, N, solver="direct")
    ours = solve_boundary_value(data, N, solver="cube", tol=1e-12)
    # rules of 5 and 6 points per direction, 9 and 10 on the cells at the singular edge of f
    assert np.allclose(ours.x, moved(direct.x), atol=1e-7)
    assert ours.divergence < 1e-15
    assert ours.multiplier_norm < 1e-4
    assert ours.residual <= 1e-12
    assert ours.dofs == direct.dofs
    points = np.random.default_rng(3).random((3, 20))
    assert np.allclose(ours(points), direct(points), atol=1e-6)
    assert ours.estimate(data) == pytest.approx(direct.estimate(data), rel=1e-3)


@pytest.mark.parametrize("problem", ["maxwell", "helix"])
def test_iterations_do_not_grow(problem):
    data = boundary_value_data(problems.get(problem))
    counts = [solve_boundary_value(data, n, solver="cube", tol=1e-8).iterations for n in (4, 8, 16)]
    assert max(counts) <= 28
    assert counts[2] <= counts[1] + 2


def test_a_coefficient_of_high_contrast_is_still_solved():
    """φ jumps by a factor of 100 in the middle: more iterations, the same equations."""
    data = replace(
        boundary_value_data(problems.helix), phi=lambda x: np.where(x[0] < 0.5, 1.0, 100.0)
    )
    direct = solve_boundary_value(data, N, solver="direct")
    ours = solve_boundary_value(data, N, solver="cube", tol=1e-11)
    numbers, signs = mesh_dofs(direct.complex.mesh, N, TET_CLASSES)
    assert np.allclose(ours.x, direct.x[numbers] * signs, atol=1e-7)


@pytest.mark.parametrize(("n", "rel"), [(4, 1e-6), (17, 1e-5)])
def test_the_estimate_is_that_of_the_mesh(n, rel):
    """In several slabs from n = 17 on with so few cubes at once; with ρ and a φ that jumps."""

    def phi(x):
        return np.where(x[2] > 0.5, 3.0, 1.0) * (1.0 + x[0])

    def grad_phi(x):
        slope = np.where(x[2] > 0.5, 3.0, 1.0)
        return np.stack([slope, 0 * slope, 0 * slope])

    data = replace(boundary_value_data(problems.helix), rho=lambda x: x[0] * x[1])
    solution = solve_boundary_value(data, n, solver="cube")
    other = replace(data, phi=phi, grad_phi=grad_phi)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fem.spaces.cube.estimate.CUBES_AT_ONCE", 1000)
        for problem in (data, other) if n % 2 == 0 else (data,):
            expected = solution.on_mesh().estimate(problem)
            assert solution.estimate(problem) == pytest.approx(expected, rel=rel)
