"""Nédélec elements fitted to samples in the cylinder."""

import numpy as np
import pytest
import skfem

from bench import problems
from fem import UserError, meshes
from fem.least_squares import covering_cylinder, fit
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.fitting import sampling_matrix


@pytest.fixture(scope="module")
def samples():
    x = problems.maxwell.sample_cylinder(12_000, seed=0)
    return x, problems.maxwell.u(x)


def test_the_cylinder_of_the_fit_holds_every_sample(samples):
    for n in (1, 3, 6):
        complex_ = TetComplex.on(covering_cylinder(n))
        cells, lam = complex_.locate(samples[0])
        assert cells.min() >= 0
        assert lam.min() > -1e-9


def test_sampling_is_evaluation():
    complex_ = TetComplex.on(meshes.cube(3))
    rng = np.random.default_rng(1)
    x, points = rng.standard_normal(complex_.dofs), rng.random((3, 100))
    basis = skfem.Basis(meshes.cube(3), skfem.ElementTetN0())
    values = (sampling_matrix(complex_, points) @ x).reshape(-1, 3).T
    assert np.allclose(values, basis.interpolator(x)(points).reshape(3, -1))


def test_a_field_of_the_space_is_recovered(samples):
    field = lambda x: np.stack([1 - x[1], x[0] + 2 * x[2], 0.5 - 2 * x[1]])  # noqa: E731
    found = fit(samples[0], field(samples[0]), covering_cylinder(2), regularisation=1e-12)
    test = problems.maxwell.sample_cylinder(500, seed=1)
    assert np.allclose(found(test), field(test), atol=1e-4)
    assert found.dofs_without_data == 0


def test_the_fit_converges_until_samples_run_out(samples):
    test = problems.maxwell.sample_cylinder(4000, seed=0, test=True)
    exact = problems.maxwell.u(test)
    errors = {}
    for n in (2, 4, 6, 8):
        found = fit(*samples, covering_cylinder(n), tol=1e-6)
        errors[n] = np.sqrt(((found(test) - exact) ** 2).sum(axis=0).mean())
    assert errors[2] / errors[4] > 1.5
    assert errors[6] < errors[4]
    # at n = 8 there is one sample per cell: the fit follows the samples, not the field
    assert found.rms_residual < errors[6] < errors[8]


def test_edges_without_samples_take_moderate_values():
    x = problems.maxwell.sample_cylinder(50, seed=3)
    found = fit(x, problems.maxwell.u(x), covering_cylinder(5))
    assert found.dofs_without_data > 1000
    test = problems.maxwell.sample_cylinder(1000, seed=4)
    assert abs(found(test)).max() < 3 * abs(problems.maxwell.u(test)).max()


def test_samples_that_cannot_be_used(samples):
    x, u = samples
    mesh = covering_cylinder(2)
    with pytest.raises(UserError, match=r"1 of 12000 points lie outside the mesh.*\(7,"):
        fit(np.where(np.arange(x.shape[1]) == 5, 7.0, x), u, mesh)
    with pytest.raises(UserError, match="outside the mesh"):
        fit(x, u, meshes.cylinder(2))  # inscribed: samples near r = 1 miss it
    with pytest.raises(UserError, match=r"shape \(3, N\)"):
        fit(x.T, u.T, mesh)
    with pytest.raises(UserError, match="shape of the points"):
        fit(x, u[:, :5], mesh)
    with pytest.raises(UserError, match="sample 3 is not finite"):
        fit(x, np.where(np.arange(x.shape[1]) == 3, np.nan, u), mesh)
    with pytest.raises(UserError, match="regularisation must be positive"):
        fit(x, u, mesh, regularisation=0.0)
