"""`fem.hcurl_preconditioner` on matrices that scikit-fem assembles, with SciPy's `cg`."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import cg, spsolve
from second_opinions import holed_box
from skfem import Basis, BilinearForm, ElementTetN0, MeshTet, enforce
from skfem.helpers import curl, dot

from fem import UserError, hcurl_preconditioner
from fem.meshes.grading import graded_cube

MESHES = {
    "cube": (graded_cube(6, 1.0), 40),
    "hole": (holed_box(3), 40),
    "graded": (graded_cube(6, 2.0), 80),
}


def block(x):
    """A block with 10³ times the φ of the rest, next to the boundary."""
    inside = (abs(x - np.array([0.3, 0.4, 0.5])[(...,) + (None,) * (x.ndim - 1)]) < 0.3).all(axis=0)
    return np.where(inside, 1e3, 1.0)


def per_cell(weight, mesh):
    return weight(mesh.p[:, mesh.t].mean(axis=1)) if callable(weight) else weight


def assembled(mesh, phi, beta):
    """(φ curl, curl) + (β ·, ·) with weights constant on cells."""

    @BilinearForm
    def form(u, v, w):
        return w.phi * dot(curl(u), curl(v)) + w.beta * dot(u, v)

    basis = Basis(mesh, ElementTetN0(), intorder=2)
    ones = np.ones((mesh.t.shape[1], basis.X.shape[-1]))
    weights = {"phi": phi, "beta": beta}
    return form.assemble(basis, **{k: ones * np.reshape(w, (-1, 1)) for k, w in weights.items()})


def solved(A, b, M, most):
    x, info = cg(A, b, rtol=1e-8, maxiter=most, M=M)
    assert info == 0
    assert np.linalg.norm(b - A @ x) <= 1.1e-8 * np.linalg.norm(b)
    return x


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("phi", [1.0, block], ids=["1", "10³"])
@pytest.mark.parametrize("beta", [1.0, 1e-4, 0.0])
@pytest.mark.parametrize("held", [True, False])
def test_few_iterations_and_the_direct_solution(name, phi, beta, held):
    mesh, most = MESHES[name]
    phi = per_cell(phi, mesh)
    A = assembled(mesh, phi, beta)
    free = np.setdiff1d(np.arange(A.shape[0]), mesh.boundary_edges() if held else [])
    A = A[free][:, free]
    rng = np.random.Generator(np.random.Philox(0))
    b = A @ rng.standard_normal(len(free))  # orthogonal to gradients where β = 0
    M = hcurl_preconditioner(A, mesh, phi, beta, free)
    x = solved(A, b, M, most)
    # where β = 0 a little mass fixes the gradient part, which has no curl
    mass = 0.0 if beta else 1e-7 * assembled(mesh, 0.0, 1.0)[free][:, free]
    expected = spsolve((A + mass).tocsc(), b)
    difference = x - expected
    assert difference @ (A @ difference) < 1e-10 * (expected @ (A @ expected))


def test_mass_in_some_cells_only():
    """A conductor in air: β = 0 in half of a graded mesh."""
    mesh = graded_cube(8, 2.0)
    beta = np.where(mesh.p[1][mesh.t].mean(axis=0) < 0.4, 0.0, 1.0)
    A = assembled(mesh, 1.0, beta)
    b = A @ np.random.Generator(np.random.Philox(0)).standard_normal(A.shape[0])
    solved(A, b, hcurl_preconditioner(A, mesh, 1.0, beta), 40)


def test_three_ways_to_hold_dofs_agree():
    """A for all dofs, for the free ones, and with the rows of the others made trivial."""
    mesh = graded_cube(4, 1.0)
    A = assembled(mesh, 2.0, 3.0)
    held = mesh.boundary_edges()
    free = np.setdiff1d(np.arange(A.shape[0]), held)
    r = np.random.Generator(np.random.Philox(0)).standard_normal(A.shape[0])
    by_all = hcurl_preconditioner(A, mesh, 2.0, 3.0, free) @ r[free]
    by_free = hcurl_preconditioner(A[free][:, free], mesh, 2.0, 3.0, free) @ r[free]
    np.testing.assert_allclose(by_free, by_all, rtol=1e-12)
    trivial = enforce(A, D=held)
    whole = hcurl_preconditioner(trivial, mesh, 2.0, 3.0) @ r
    np.testing.assert_allclose(whole[free], by_all, rtol=1e-12)
    np.testing.assert_allclose(whole[held], r[held])


def test_it_is_symmetric_and_independent_of_the_unit_of_length():
    """Kilometres and millimetres: β scales with the square of the length."""
    mesh = holed_box(3)
    iterations = []
    for size in (1e-3, 1.0, 1e3):
        scaled = MeshTet(size * mesh.p, mesh.t)
        A = assembled(scaled, 1.0, 1.0 / size**2)
        M = hcurl_preconditioner(A, scaled, 1.0, 1.0 / size**2)
        rng = np.random.Generator(np.random.Philox(1))
        r, s = rng.standard_normal((2, A.shape[0]))
        assert r @ (M @ s) == pytest.approx(s @ (M @ r), rel=1e-9)
        count = []
        cg(A, r, rtol=1e-8, M=M, callback=lambda x, count=count: count.append(1))
        iterations.append(len(count))
    assert max(iterations) <= min(iterations) + 1 < 40


@pytest.mark.parametrize("n", [1, 2])
def test_meshes_without_a_node_inside(n):
    mesh = graded_cube(n, 1.0)
    A = assembled(mesh, 1.0, 1.0)
    free = np.setdiff1d(np.arange(A.shape[0]), mesh.boundary_edges())
    A = A[free][:, free]
    x = solved(A, np.ones(len(free)), hcurl_preconditioner(A, mesh, free=free), 20)
    np.testing.assert_allclose(x, spsolve(A.tocsc(), np.ones(len(free))), rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phi": 0.0}, "phi must be positive"),
        ({"beta": -1.0}, "beta must not be negative"),
        ({"beta": np.ones(3)}, "one value for each of the 48 cells"),
        ({"A": sp.eye_array(5)}, r"5 × 5, but the mesh has \d+ edges"),
        ({"A": sp.eye_array(5), "free": np.arange(4)}, "one row for each free dof"),
        ({"A": 1j * sp.eye_array(98)}, "must be real"),
        ({"A": -assembled(graded_cube(2, 1.0), 1.0, 1.0)}, "positive diagonal"),
    ],
)
def test_bad_input_is_one_line(change, message):
    mesh = graded_cube(2, 1.0)
    given = {"A": assembled(mesh, 1.0, 1.0), "mesh": mesh} | change
    with pytest.raises(UserError, match=message):
        hcurl_preconditioner(**given)
