"""The general tetrahedral path against scikit-fem's assembly, piece by piece and as a whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from second_opinions import discrete_gradient, renumbered, to_scipy

from base.errors import NotConverged, UserError
from bench import problems
from fem import How, best_approximation, meshes
from fem.fields import Checked
from fem.meshes.tets import Tets
from fem.rules.cell_rules import tet_rules
from fem.rules.reference_hexes import hex_at_edge
from fem.rules.reference_tets import collapsed_tet, four_points, fourteen_points
from fem.solvers import auxiliary_space
from fem.solvers.blocks import whole
from fem.solvers.hiptmair_xu import HiptmairXu
from fem.solvers.symmetric import Symmetric
from fem.spaces.assembled import AssembledSpace
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.local_matrices import curl_curl_mass, nodal
from fem.spaces.tets.lowest_order import TetSpace


def generator(seed=0):
    return np.random.Generator(np.random.Philox(seed))


def cylinder(n=2, seed=0):
    return renumbered(meshes.cylinder(n), generator(seed))


def weight(x):
    return 1 + x[0] ** 2 + 2 * x[1]


# ---------------------------------------------------------------- matrices


def test_edges_are_scikit_fems():
    mesh = cylinder()
    np.testing.assert_array_equal(Tets.of(mesh).edges.T, mesh.edges)
    np.testing.assert_array_equal(TetComplex.on(mesh).edges, mesh.edges)


@pytest.mark.parametrize("n", [1, 3])
def test_kuhn_arrays_are_scikit_fems_mesh(n):
    (p, t), mesh = meshes.kuhn(n), meshes.cube(n)
    np.testing.assert_array_equal(p, mesh.p)
    assert {*map(tuple, t)} == {*map(tuple, np.sort(mesh.t.T, axis=1))}


def test_weighted_matrices_equal_scikit_fems():
    from skfem import Basis, BilinearForm, ElementTetN0, ElementTetP1
    from skfem.helpers import curl, dot, grad

    mesh = cylinder()
    tets = Tets.of(mesh)
    form = BilinearForm(lambda u, v, w: weight(w.x) * dot(curl(u), curl(v)) + 3 * dot(u, v))
    expected = form.assemble(Basis(mesh, ElementTetN0(), intorder=4))
    ours = curl_curl_mass(tets, weight, 3.0)
    assert abs(to_scipy(ours) - expected).max() < 1e-12
    in_threads = curl_curl_mass(tets, weight, 3.0, threads=3)
    np.testing.assert_array_equal(in_threads.value, ours.value)
    form = BilinearForm(lambda u, v, w: weight(w.x) * dot(grad(u), grad(v)) + 3 * u * v)
    expected = form.assemble(Basis(mesh, ElementTetP1(), intorder=4))
    assert abs(nodal(tets, weight, 3.0) - expected).max() < 1e-12


def test_gradients_have_no_curl():
    tets = Tets.of(cylinder())
    product = to_scipy(curl_curl_mass(tets, 1.0, 0.0)) @ discrete_gradient(tets)
    assert abs(product).max() < 1e-11


@settings(max_examples=15, deadline=None)
@given(size=st.integers(1, 12), seed=st.integers(0, 99), width=st.sampled_from([None, 1, 3]))
def test_half_stored_matrices(size, seed, width):
    """Products and both Gauss–Seidel sweeps against dense algebra."""
    rng = generator(seed)
    half = random_array((size, size), density=0.4, rng=rng).toarray()
    dense = half + half.T + 5 * np.eye(size)
    matrix = Symmetric.of(csr_array(dense))
    r = rng.standard_normal(size if width is None else (size, width))
    np.testing.assert_allclose(matrix @ r, dense @ r, atol=1e-12)
    np.testing.assert_allclose(to_scipy(matrix).toarray(), dense)
    inverse = 1 / matrix.diagonal
    x, rest = matrix.forward(inverse, r)
    np.testing.assert_allclose(x, np.linalg.solve(np.tril(dense), r), atol=1e-12)
    np.testing.assert_allclose(rest, r - dense @ x, atol=1e-12)
    total, used = x.copy(), rest.copy()
    matrix.backward(inverse, used, total)
    np.testing.assert_allclose(total, x + np.linalg.solve(np.triu(dense), rest), atol=1e-12)


# ---------------------------------------------------------------- the whole path


@pytest.mark.parametrize("name", ["maxwell", "helix", "screen"])
@pytest.mark.parametrize("mesh", [meshes.cube(3), cylinder(2)], ids=["cube", "cylinder"])
def test_equals_the_assembled_solution(name, mesh):
    problem = problems.get(name)
    edge = problem.singular_edge
    if edge is not None and mesh.p.min() < 0:
        pytest.skip("u of `screen` is defined on the cube only")
    oracle, general = (
        best_approximation(
            problem.u, problem.curl_u, mesh=mesh, solver=solver, tol=1e-11, singular_edge=edge
        )
        for solver in ("assembled", "general")
    )
    np.testing.assert_allclose(general.x, oracle.x, atol=3e-6 if edge else 1e-8)
    assert general.l2_error == pytest.approx(oracle.l2_error, rel=1e-5)
    assert general.hcurl_error == pytest.approx(oracle.hcurl_error, rel=1e-5)
    assert general.l2_relative == pytest.approx(oracle.l2_relative, rel=1e-5)
    assert general.h == pytest.approx(oracle.h)
    points = 0.6 * generator().random((3, 4, 5))
    np.testing.assert_allclose(general(points), oracle(points), atol=1e-5)
    np.testing.assert_allclose(general.curl(points), oracle.curl(points), atol=1e-4)


def test_random_right_hand_sides():
    mesh = cylinder()
    oracle, general = AssembledSpace(element="N0", mesh=mesh), TetSpace(mesh=mesh)
    b = generator(1).standard_normal(general.dofs)
    np.testing.assert_allclose(general.solve(b, How(tol=1e-12)).x, oracle.solve(b).x, atol=1e-8)


def test_iterations_do_not_grow():
    counts = []
    for mesh in (meshes.cube(4), meshes.cube(8), meshes.cube(16), cylinder(8)):
        space = TetSpace(mesh=mesh)
        counts.append(space.solve(generator().standard_normal(space.dofs)).iterations)
    assert max(counts) <= 18, counts  # measured 12, 13, 13, 15


def test_the_preconditioner_is_symmetric_and_positive():
    mesh = cylinder()
    tets, fixed = Tets.of(mesh), np.zeros(mesh.nedges, bool)
    fixed[mesh.boundary_edges()] = True
    for phi, beta, held in ((1.0, 1.0, np.zeros_like(fixed)), (weight, 0.5, fixed)):
        apply = HiptmairXu.build(curl_curl_mass(tets, phi, beta), tets, phi, beta, held)
        r, s = generator(2).standard_normal((2, len(tets.edges))) * ~held
        assert apply(r) @ s == pytest.approx(r @ apply(s), rel=1e-10)
        assert apply(r) @ r > 0


@pytest.mark.parametrize("beta", [1e-6, 0.1, 100.0, 1e4])
def test_iterations_do_not_depend_on_the_weights(beta):
    tets = Tets.of(meshes.cube(6))
    A = curl_curl_mass(tets, weight, beta)
    b = generator(6).standard_normal(len(tets.edges))
    found = auxiliary_space.solve(A, b, HiptmairXu.build(A, tets, weight, beta))
    assert found.iterations <= 20  # measured 7 to 17


def test_a_good_guess_saves_iterations_and_the_solution_needs_none():
    problem = problems.helix
    space = TetSpace(n=6)
    load = space.load(problem.u, problem.curl_u)
    from_zero = space.solve(load.vector)
    from_interpolant = space.solve(load.vector, How(x0=space.interpolate(problem.u)))
    from_load = space.solve(load)
    assert 0 < from_interpolant.iterations <= from_load.iterations < from_zero.iterations
    assert abs(from_load.x - from_zero.x).max() < 1e-7 * abs(from_zero.x).max()
    assert space.solve(load, How(x0=from_zero.x)).iterations == 0


def test_the_start_is_the_trapezoidal_interpolant_where_u_is_finite():
    space, problem = TetSpace(mesh=cylinder(2)), problems.helix
    a, b = space.tets.p[:, space.tets.edges.T].transpose(1, 0, 2)
    expected = ((problem.u(a) + problem.u(b)) / 2 * (b - a)).sum(axis=0)
    np.testing.assert_allclose(space.load(problem.u, problem.curl_u).start, expected, atol=1e-15)

    def singular(x):
        return x / np.sqrt((x**2).sum(axis=0))  # at the vertex 0

    for field in (singular, Checked(singular, "u")):
        assert TetSpace(n=2).load(field, problem.curl_u).start is None
    edge = How(singular_edge=(0.0, 0.0))
    assert space.load(problem.u, problem.curl_u, edge).start is None


@pytest.mark.parametrize("width", [1, 3, 4])
def test_a_correction_and_the_backward_sweep_in_one_pass(width):
    tets = Tets.of(cylinder(2))
    half, size = curl_curl_mass(tets), len(tets.edges)
    A = whole(half).toarray()
    r, c, x = generator(3).standard_normal((3, size, width))
    expected = x + c + np.linalg.solve(np.triu(A), r - A @ c)
    vectors = [(r, c, x)] if width > 1 else [(r, c, x), (r[:, 0], c[:, 0], x[:, 0])]
    for r_, c_, x_ in vectors:
        got = x_.copy()
        half.correct_backward(1 / half.diagonal, c_, r_.copy(), got)
        np.testing.assert_allclose(got.reshape(size, -1), expected, rtol=1e-10, atol=1e-10)


def test_stopping_short_is_an_error():
    tets = Tets.of(meshes.cube(3))
    A, b = curl_curl_mass(tets), generator().standard_normal(len(tets.edges))
    with pytest.raises(NotConverged, match="after 2 iterations"):
        auxiliary_space.solve(A, b, HiptmairXu.build(A, tets), max_iterations=2)


def test_threads_change_nothing():
    problem = problems.maxwell
    one, two = (
        best_approximation(problem.u, problem.curl_u, 5, solver="general", threads=threads)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.x, two.x)
    assert one.l2_error == two.l2_error


# ---------------------------------------------------------------- points


def test_every_vertex_and_centre_is_found():
    mesh = cylinder(3)
    space = TetSpace(mesh=mesh)
    centres = mesh.p[:, mesh.t].mean(axis=1)
    cells, barycentric = space._locator.find(centres)
    np.testing.assert_array_equal(cells, np.arange(mesh.t.shape[1]))
    np.testing.assert_allclose(barycentric, 0.25, atol=1e-12)
    assert (space._locator.find(mesh.p)[0] >= 0).all()


def test_points_outside_are_named():
    space = TetSpace(n=2)
    with pytest.raises(UserError, match=r"1 of 2 points lie outside the mesh, .* \(0.5, 0.5"):
        space.evaluate(np.zeros(space.dofs), np.array([[0.5, 0.1], [0.5, 0.1], [1.5, 0.1]]))


# ---------------------------------------------------------------- rules and meshes


@pytest.mark.parametrize(
    ("rule", "degree"), [(four_points(), 2), (fourteen_points(), 5), (collapsed_tet(3, ()), 5)]
)
def test_rules_are_exact_to_their_degree(rule, degree):
    from math import factorial

    (x, y, z), w = rule
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            for k in range(degree + 1 - i - j):
                exact = factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3)
                assert w @ (x**i * y**j * z**k) == pytest.approx(exact, rel=1e-13)


def test_rules_at_the_singular_edge():
    """∫ 1/R over the cube, R the distance to its edge: asinh 1 · 2; plain rules miss it."""
    exact = 2 * np.arcsinh(1)
    mesh = meshes.cube(2)
    for edge, tolerance in (((1.0, 0.0), 1e-9), (None, np.inf)):
        total = 0.0
        for rule in tet_rules(mesh.p, mesh.t, 8, edge):
            corners = mesh.p[:, mesh.t[:, rule.cells]]
            bary = np.vstack([1 - rule.points.sum(axis=0), rule.points])
            x, y, _ = np.einsum("dvc,vq->dcq", corners, bary)
            total += (rule.weights / np.hypot(1 - x, y)).sum() / 8
        assert abs(total - exact) < tolerance
    assert abs(total - exact) > 1e-4  # the plain rule
    (x, y, _), w = hex_at_edge(10, (0, 1))  # vertices (1, 1, 1) and (1, 1, 0)
    assert w @ (1 / np.hypot(1 - x, 1 - y)) == pytest.approx(exact, rel=1e-9)


def test_the_cylinder_is_well_shaped_and_fills_the_cylinder():
    for n in (2, 8):
        tets = Tets.of(meshes.cylinder(n))
        inradius = 1 / np.linalg.norm(tets.gradients, axis=2).sum(axis=1)
        lengths = np.linalg.norm(np.diff(tets.p.T[tets.edges], axis=1)[:, 0], axis=1)
        quality = 24**0.5 * inradius / lengths[tets.cell_edges].max(axis=1)
        assert quality.min() > 0.5
        assert tets.volumes.sum() == pytest.approx(np.pi, rel=0.15 / n**2)
        assert np.hypot(*tets.p[:2]).max() == pytest.approx(1)


@pytest.mark.parametrize("cell", ["tet", "hex"])
def test_broken_cells_are_refused(cell):
    element = {"tet": "N0", "hex": "hexN0"}[cell]
    mesh = meshes.cube(2, cell)
    flat = mesh.p.copy()
    flat[2] = 0
    problem = problems.maxwell
    with pytest.raises(UserError, match="degenerate cells, the first is cell 0"):
        best_approximation(
            problem.u, problem.curl_u, mesh=type(mesh)(flat, mesh.t), element=element
        )
    folded = mesh.p.copy()
    folded[:, (mesh.p == 0.5).all(axis=0)] = [[1.2], [0.5], [0.5]]  # the centre, out of the cube
    with pytest.raises(UserError, match="inverted cells, the first is cell"):
        best_approximation(
            problem.u, problem.curl_u, mesh=type(mesh)(folded, mesh.t), element=element
        )
