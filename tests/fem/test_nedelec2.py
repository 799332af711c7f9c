"""The second-order element: conformity, reproduction, rates; scikit-fem as the oracle."""

import numpy as np
import pytest
import scipy.sparse as sp
import skfem
from nedelec2_oracle import ElementTetNedelec2
from skfem.helpers import curl, dot

from bench import problems
from fem import UserError, best_approximation, rates
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.dofs import canonical_dofs, gradient_dofs

ELEMENTS = {0: skfem.ElementTetN0, 1: ElementTetNedelec2}


def shuffled_mesh(seed: int, n: int = 2) -> skfem.MeshTet:
    """The Kuhn cube with moved inner nodes, random node numbers and random order in each cell."""
    rng = np.random.default_rng(seed)
    mesh = skfem.MeshTet.init_tensor(*[np.linspace(0, 1, n + 1)] * 3)
    inner = np.all((mesh.p > 0) & (mesh.p < 1), axis=0)
    p = mesh.p + 0.1 / n * rng.standard_normal(mesh.p.shape) * inner
    number = rng.permutation(mesh.nvertices)
    t = rng.permuted(number[mesh.t], axis=0)
    return skfem.MeshTet(p[:, np.argsort(number)], t)


def nedelec_polynomial(seed: int):
    """A random member of P₁³ ⊕ x × P₁³ and its curl: c + A x + x × B x.

    curl(A x) is twice the axial vector of A, and curl(x × B x) = x tr B − 2 B x + … by the product
    rule: x (div Bx) − (Bx) div x + (Bx·∇) x − (x·∇) Bx = x tr B − 3 B x + B x − B x.
    """
    A, B, c = np.split(np.random.default_rng(seed).standard_normal((7, 3)), [3, 6])

    def u(x):
        y = np.tensordot(B, x, axes=1)
        shift = c[0].reshape(3, *[1] * (x.ndim - 1))
        return shift + np.tensordot(A, x, axes=1) + np.cross(x, y, axis=0)

    def curl_u(x):
        axial = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
        constant = axial.reshape(3, *[1] * (x.ndim - 1))
        return constant + np.trace(B) * x - 3 * np.tensordot(B, x, axes=1)

    return u, curl_u


@pytest.mark.parametrize("seed", range(3))
def test_tangential_component_is_continuous_whatever_the_numbering(seed):
    mesh = shuffled_mesh(seed)
    sides = [
        skfem.InteriorFacetBasis(mesh, ElementTetNedelec2(), side=side, intorder=4)
        for side in (0, 1)
    ]
    x = np.random.default_rng(seed).standard_normal(sides[0].N)
    jump = np.asarray(sides[0].interpolate(x)) - np.asarray(sides[1].interpolate(x))
    assert abs(np.cross(jump, sides[0].normals, axis=0)).max() < 1e-12
    assert abs(jump).max() > 1  # the normal component does jump


@pytest.mark.parametrize("seed", range(3))
def test_the_whole_space_is_reproduced_by_projection_and_by_interpolation(seed):
    u, curl_u = nedelec_polynomial(seed)
    mesh = shuffled_mesh(seed)
    for solver in ("direct", "auxiliary"):
        solution = best_approximation(u, curl_u, mesh=mesh, element="N1", solver=solver, tol=1e-12)
        assert solution.hcurl_error < 1e-10 * (solution.hcurl_error / solution.hcurl_relative)
    points = np.random.default_rng(seed).random((3, 40))
    interpolant = solution.space.interpolate(u)
    assert np.allclose(solution.space.evaluate(interpolant, points), u(points), atol=1e-11)
    assert np.allclose(
        solution.space.evaluate_curl(interpolant, points), curl_u(points), atol=1e-10
    )
    assert np.allclose(solution.x, interpolant, atol=1e-9)


@pytest.mark.parametrize("order", [0, 1])
def test_closed_form_matrices_are_those_of_scikit_fem(order):
    mesh, phi = shuffled_mesh(5), problems.helix.phi
    space = TetComplex.on(mesh, order)
    basis = skfem.Basis(mesh, ELEMENTS[order](), intorder=4)
    mass = skfem.BilinearForm(lambda u, v, w: dot(u, v)).assemble(basis)
    stiffness = skfem.BilinearForm(lambda u, v, w: phi(w.x) * dot(curl(u), curl(v)))
    assert abs(space.mass() - mass).max() < 1e-13
    assert abs(space.stiffness(phi) - stiffness.assemble(basis)).max() < 1e-11
    both = space.stiffness() + space.mass() - space.stiffness_and_mass(dense=True)
    assert abs(both).max() < 1e-11
    quadratic = skfem.LinearForm(lambda v, w: dot(w.x**2, v) + dot(w.x[::-1] ** 2, curl(v)))
    load = space.load(lambda x: x**2, against_curls=lambda x: x[::-1] ** 2)
    assert abs(load - quadratic.assemble(basis)).max() < 1e-13


@pytest.mark.parametrize("order", [0, 1])
def test_gradients_of_potentials_lie_in_the_space_and_have_no_curl(order):
    space = TetComplex.on(shuffled_mesh(7), order)
    assert abs(space.stiffness() @ space.gradient).max() < 1e-11
    psi = (lambda x: x[0] - 2 * x[2]) if order == 0 else (lambda x: x[0] * x[1] + x[2] ** 2)
    grad = (
        (lambda x: np.stack([1 + 0 * x[0], 0 * x[0], -2 + 0 * x[0]]))
        if order == 0
        else (lambda x: np.stack([x[1], x[0], 2 * x[2]]))
    )
    assert np.allclose(gradient_dofs(space, psi), canonical_dofs(space, grad), atol=1e-12)
    # the scalar products agree with assembling the Laplacian of the Lagrange space
    laplace = space.gradient.T @ space.mass() @ space.gradient
    ones = np.zeros(laplace.shape[0])
    ones[: space.mesh.nvertices] = 1.0
    assert abs(laplace @ ones).max() < 1e-12
    assert sp.linalg.norm(laplace - laplace.T) < 1e-12


@pytest.mark.parametrize("problem", ["maxwell", "helix"])
def test_rates_tend_to_two(problem):
    field = problems.get(problem)
    found = [best_approximation(field.u, field.curl_u, n, element="N1") for n in (2, 4, 8)]
    h = [solution.h for solution in found]
    for errors in ([s.l2_error for s in found], [s.hcurl_error for s in found]):
        last = rates(h, errors)[-1]
        assert 1.85 < last < 2.02
    assert found[-1].iterations < 35  # 25 at n = 8 and at n = 16: the mesh width does not enter


def test_iterative_and_direct_agree():
    field = problems.helix
    direct, iterative = (
        best_approximation(field.u, field.curl_u, 2, element="N1", solver=solver, tol=1e-12)
        for solver in ("direct", "auxiliary")
    )
    assert np.allclose(direct.x, iterative.x, atol=1e-9)
    assert direct.l2_error == pytest.approx(iterative.l2_error, rel=1e-6)


def test_points_outside_are_refused():
    solution = best_approximation(problems.maxwell.u, problems.maxwell.curl_u, 1, element="N1")
    with pytest.raises(UserError, match="outside the mesh"):
        solution(np.array([[2.0], [0.5], [0.5]]))
