"""Kuhn tetrahedra: stencil and conjugate gradients against scikit-fem's assembly."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import NotConverged, UserError
from bench import problems
from fem import How, make_space
from fem.meshes import cube
from fem.solvers.stencil import interpolation_terms
from fem.spaces.assembled import AssembledSpace
from fem.spaces.cube.cells import HEX_CLASSES, TET_CLASSES, mesh_dofs, shapes, size, split
from fem.spaces.cube.hexes import CubeHexes
from fem.spaces.cube.space import CubeSpace, block_bytes
from fem.spaces.cube.tets import CubeTets, KuhnSystem

TABLE = {  # by another implementation
    1: (1.86716e-2, 1.0908e-1),
    2: (1.06567e-2, 6.0865e-2),
    4: (5.84255e-3, 3.1660e-2),
    8: (3.04451e-3, 1.60494e-2),
    16: (1.54523e-3, 8.06109e-3),
    32: (7.76433e-4, 4.03627e-3),
}
SCREEN = {4: 0.146733, 8: 0.09717, 16: 0.06581}  # likewise
EDGE = (1.0, 0.0)


def random(n, seed=0):
    return np.random.Generator(np.random.Philox(seed)).standard_normal(size(n, TET_CLASSES))


def solved(space, problem, singular_edge=None, **options):
    b = space.load(problem.u, problem.curl_u, How(singular_edge=singular_edge))
    return space.solve(b, How(**options))


def single(n):
    return CubeTets(n, single=True)


def assembled(n):
    """The oracle, and the two maps between its dofs and ours."""
    numbers, signs = mesh_dofs(cube(n, "tet"), n, TET_CLASSES)

    def to_mesh(v):
        result = np.empty_like(v)
        result[numbers] = v * signs
        return result

    return AssembledSpace(element="N0", n=n), to_mesh, lambda v: v[numbers] * signs


def test_edges_are_numbered_and_oriented_as_the_mesh_says():
    for n in (1, 2, 3):
        numbers, signs = mesh_dofs(cube(n, "tet"), n, TET_CLASSES)
        assert sorted(numbers) == list(range(7 * n**3 + 9 * n**2 + 3 * n))
        assert (signs == 1).all()


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_stencil_is_the_assembled_matrix(n):
    space, to_mesh, from_mesh = assembled(n)
    x, y = random(n), np.full(size(n, TET_CLASSES), np.nan)
    product = KuhnSystem(n, float).apply_dot(x, y)
    np.testing.assert_allclose(y, from_mesh(space.matrix @ to_mesh(x)), rtol=0, atol=1e-12 * n)
    assert product == pytest.approx(x @ y, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 8])
@pytest.mark.parametrize("name", ["maxwell", "helix"])
def test_equals_the_assembled_solution(n, name, monkeypatch):
    monkeypatch.setattr("fem.spaces.assembled.LOAD_POINTS", (5, 5))  # as here for n ≤ 8
    problem = problems.get(name)
    space, _, from_mesh = assembled(n)
    expected = space.solve(space.load(problem.u, problem.curl_u)).x
    difference = solved(CubeTets(n), problem, tol=1e-11).x - from_mesh(expected)
    assert abs(difference).max() < 1e-8 * abs(expected).max()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_equals_the_assembled_solution_for_random_loads(n):
    space, to_mesh, from_mesh = assembled(n)
    b = random(n, seed=n)
    x, _, residual = CubeTets(n).solve(b, How(tol=1e-12))
    expected = from_mesh(space.solve(to_mesh(b)).x)
    assert abs(x - expected).max() < 1e-8 * abs(expected).max()
    assert residual <= 1e-12


@pytest.mark.parametrize("n", TABLE)
def test_errors_of_maxwell_are_those_of_the_notes(n):
    problem, space = problems.maxwell, CubeTets(n)
    assert space.dofs == 7 * n**3 + 9 * n**2 + 3 * n
    errors = space.errors(solved(space, problem).x, problem.u, problem.curl_u)
    np.testing.assert_allclose(errors, TABLE[n], rtol=1e-5)


@pytest.mark.parametrize("n", SCREEN)
def test_errors_of_screen_are_those_of_the_specification(n):
    problem, space = problems.screen, CubeTets(n)
    x = solved(space, problem, singular_edge=EDGE).x
    l2, _ = space.errors(x, problem.u, problem.curl_u, How(singular_edge=EDGE))
    assert l2 == pytest.approx(SCREEN[n], rel=1e-4)


def test_a_singular_curl_halves_the_rate_in_hcurl_only():
    """`curlsing`: u in H^{3/2 − ε}, curl u in H^{1/2 − ε} (maths 1)."""
    problem, errors = problems.curlsing, []
    for n in (5, 10):
        space = CubeTets(n)
        x = solved(space, problem, singular_edge=EDGE).x
        errors.append(space.errors(x, problem.u, problem.curl_u, How(singular_edge=EDGE)))
    l2, hcurl = np.log2(np.divide(*errors))
    assert 0.9 < l2 < 1.1
    assert 0.48 < hcurl < 0.56


@pytest.mark.parametrize(("n", "expected"), [(1, 0.467056), (4, 0.179332), (16, 0.0476)])
def test_errors_of_helix_are_those_of_the_specification(n, expected):
    problem, space = problems.helix, CubeTets(n)
    l2, _ = space.errors(solved(space, problem).x, problem.u, problem.curl_u)
    assert l2 == pytest.approx(expected, rel=1e-3 if n == 16 else 1e-5)


def test_iterations_do_not_grow():
    iterations = [solved(CubeTets(n), problems.helix).iterations for n in (4, 8, 16, 32)]
    assert max(iterations) <= 28
    assert iterations[-1] <= iterations[1] + 2


@pytest.mark.parametrize("n", [6, 10])
def test_guess_saves_iterations(n):
    """From zero, from the interpolant (by edge integrals), from the solution itself."""
    problem, space = problems.helix, CubeTets(n)
    plain = solved(space, problem, x0=np.zeros(space.dofs))
    guided = solved(space, problem, x0=space.interpolate(problem.u))
    assert guided.iterations < plain.iterations
    assert solved(space, problem, x0=plain.x).iterations == 0
    np.testing.assert_allclose(guided.x, plain.x, rtol=0, atol=1e-7 * abs(plain.x).max())


@pytest.mark.parametrize("n", [10, 16])
def test_the_defect_form_solves_the_same_equations(n):
    """Against the load itself; it starts where a thousandth of the error is left to find."""
    problem, space = problems.helix, CubeTets(n)
    plain = space.solve(CubeSpace.load(space, problem.u, problem.curl_u), How(tol=1e-11))
    defect = solved(space, problem, tol=1e-11)
    assert defect.residual <= 1e-11
    assert defect.iterations < plain.iterations
    np.testing.assert_allclose(defect.x, plain.x, rtol=0, atol=1e-9 * abs(plain.x).max())


@pytest.mark.parametrize("space", [CubeTets(10), single(40)])
def test_threads_change_nothing_beyond_rounding(space):
    problem = problems.helix
    b, c = (space.load(problem.u, problem.curl_u, How(threads=t)) for t in (1, 2))
    np.testing.assert_array_equal(b.vector, c.vector)
    one, two = space.solve(b), space.solve(c, How(threads=2))
    assert one.iterations == two.iterations
    np.testing.assert_allclose(one.x, two.x, rtol=0, atol=1e-7 if space.single else 1e-13)
    assert space.errors(one.x, problem.u, problem.curl_u) == space.errors(
        one.x, problem.u, problem.curl_u, How(threads=2)
    )


def test_interpolation_of_hexahedral_fields_is_the_line_integral():
    """Π by its weights against edge integrals of a hexahedral field by Gauss quadrature."""
    hexes, tets = CubeHexes(3), CubeTets(3)
    x = np.random.Generator(np.random.Philox(5)).standard_normal(hexes.dofs)
    expected = tets.interpolate(lambda points: hexes.evaluate(x, points))
    for d, terms in enumerate(map(interpolation_terms, range(TET_CLASSES))):
        assert sum(terms.values()) == pytest.approx((1, 1, 1, 2, 2, 2, 3)[d])
    np.testing.assert_allclose(prolonged(x, 3), expected, rtol=0, atol=1e-12)


def prolonged(w, n):
    """Π w, class by class, with plain slices."""
    parts, result = split(w, n, HEX_CLASSES), []
    for c, shape in enumerate(shapes(n, TET_CLASSES)):
        total = np.zeros(shape)
        for (axis, offset), weight in interpolation_terms(c).items():
            window = tuple(slice(o, o + s) for o, s in zip(offset, shape, strict=True))
            total += weight * parts[axis][window]
        result.append(total.ravel())
    return np.concatenate(result)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=6, max_size=6), st.integers(1, 6))
def test_rotations_are_reproduced_everywhere(numbers, n):
    """a + b × x lies in the space; its curl is 2b."""
    a, b = np.array(numbers[:3]), np.array(numbers[3:])

    def u(x):
        return (a + np.cross(b, x.reshape(3, -1).T)).T.reshape(x.shape)

    def curl_u(x):
        return (2 * b + 0 * x.reshape(3, -1).T).T.reshape(x.shape)

    space = CubeTets(n)
    points = np.random.Generator(np.random.Philox(n)).random((3, 5, 10))
    x = space.interpolate(u)
    np.testing.assert_allclose(space.evaluate(x, points), u(points), rtol=0, atol=1e-12)
    np.testing.assert_allclose(space.evaluate_curl(x, points), curl_u(points), atol=1e-10)
    assert space.errors(x, u, curl_u) == pytest.approx((0, 0), abs=1e-11)


def test_evaluation_agrees_with_scikit_fem():
    problem, n = problems.helix, 4
    space, _, from_mesh = assembled(n)
    x = space.interpolate(problem.u)
    points = np.random.Generator(np.random.Philox(1)).random((3, 200))
    ours = CubeTets(n)
    np.testing.assert_allclose(
        ours.evaluate(from_mesh(x), points), space.evaluate(x, points), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(
        ours.evaluate_curl(from_mesh(x), points), space.evaluate_curl(x, points), rtol=0, atol=1e-10
    )


def test_points_outside_are_refused():
    space = CubeTets(2)
    with pytest.raises(UserError, match="outside the unit cube"):
        space.evaluate(random(2), np.full((3, 2), -0.01))


@pytest.mark.parametrize(("name", "n"), [("maxwell", 32), ("helix", 16)])
def test_single_precision_in_defect_form_has_the_errors_of_double(name, n):
    problem = problems.get(name)
    errors, solutions = [], []
    for space in (CubeTets(n), single(n)):
        solutions.append(solved(space, problem))
        errors.append(space.errors(solutions[-1].x, problem.u, problem.curl_u))
    np.testing.assert_allclose(errors[1], errors[0], rtol=2e-6)
    assert solutions[1].iterations < 12
    assert solutions[1].residual <= 1e-3


@pytest.mark.parametrize("space", [CubeTets(16), single(16)])
@pytest.mark.parametrize("name", ["maxwell", "helix"])
def test_the_residual_is_relative_to_the_load(name, space):
    """‖b − A x‖ / ‖b‖ with the load of the same rule and the matrix in float64."""
    problem = problems.get(name)
    found = solved(space, problem)
    b, product = CubeSpace.load(space, problem.u, problem.curl_u), np.empty(space.dofs)
    KuhnSystem(space.n, float).apply_dot(found.x, product)
    true = np.linalg.norm(b - product) / np.linalg.norm(b)
    assert found.residual == pytest.approx(true, rel=0.02)


def test_single_precision_takes_a_guess():
    problem, space = problems.helix, single(12)
    guess = solved(CubeTets(12), problem).x
    x, iterations, residual = solved(space, problem, x0=guess, threads=2)
    assert (iterations, residual < 1e-3) == (0, True)
    np.testing.assert_allclose(x, guess, rtol=0, atol=1e-8)


def test_single_precision_refuses_singular_fields():
    problem = problems.screen
    with pytest.raises(UserError, match="singular_edge is not finite"):
        single(3).load(problem.u, problem.curl_u, How(singular_edge=EDGE))


@pytest.mark.parametrize("space", [CubeTets(32), single(32), CubeHexes(48)])
def test_memory_is_as_predicted(space):
    """Allocations of load and solve, counted by tracemalloc, against the vectors predicted."""
    problem = problems.maxwell
    solved(replace(space, n=2), problem)  # loads the compiled code
    tracemalloc.start()
    b = space.load(problem.u, problem.curl_u)
    tracemalloc.reset_peak()
    x = space.solve(b).x
    _, solving = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    del b
    space.errors(x, problem.u, problem.curl_u)
    _, measuring = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    vectors = space.predicted_bytes() - block_bytes(1)
    assert solving == pytest.approx(vectors, rel=0.02, abs=2e6)
    assert measuring <= space.predicted_bytes()


def test_auto_takes_single_precision_where_the_options_allow_it():
    assert make_space(100) == ("kuhn32", single(100))
    assert make_space(100, how=How(tol=1e-9)) == ("kuhn", CubeTets(100))
    assert make_space(100, how=How(singular_edge=EDGE)) == ("kuhn", CubeTets(100))
    with pytest.raises(UserError, match=r"n = 100 \(N0, kuhn32\).*the largest n that fits is 99"):
        make_space(100, max_bytes=single(100).predicted_bytes() - 1)


def test_a_solve_that_stops_short_is_no_result():
    b = random(3)
    b[7] = np.nan
    with pytest.raises(NotConverged, match="relative residual of nan"):
        CubeTets(3).solve(b)
