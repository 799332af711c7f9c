"""Every rule against closed forms, and against another rule of the same domain."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.errors import UserError
from fem.rules import polar, quadrature
from fem.rules.cut_cells import split_mesh
from fem.rules.polar import Resolution
from fem.rules.quadrature import integrate

EDGE = (1.0, 0.0)
SPECTRAL = Resolution(order=22, angle=1, radius=1, height=1)


def one(x):
    return np.ones(x.shape[1])


def analytic(x):
    return np.exp(x[0] - 0.5 * x[1]) * np.cos(2 * x[2] + x[0])


def singular_at(edge):
    """1/R at the edge: the square of a field in H^{½−ε}, barely integrable."""
    return lambda x: np.cos(x[2]) / np.hypot(x[0] - edge[0], x[1] - edge[1])


def on_tetrahedra(x, n):
    """A function that knows its Kuhn tetrahedron: another polynomial on each of them."""
    cell, local = np.floor(n * x), n * x % 1
    middle, last = np.argsort(local, axis=0)[1:]
    return (1 + middle + 3 * last) * x[0] ** 2 + cell[0] * x[1] - cell[2]


# ---------------------------------------------------------------- cells and tetrahedra


@pytest.mark.parametrize("degree", range(13))
def test_tetrahedron_is_exact_to_its_degree(degree):
    """∫ x^i y^j z^k over the reference tetrahedron is i! j! k! / (i + j + k + 3)!."""
    rule = quadrature.tetrahedron(degree)
    for i in range(degree + 1):
        for j in range(degree + 1 - i):
            k = degree - i - j
            exact = factorial(i) * factorial(j) * factorial(k) / factorial(degree + 3)
            x, y, z = rule.points
            assert rule.weights @ (x**i * y**j * z**k) == pytest.approx(exact, rel=1e-13)


def test_tetrahedron_is_not_exact_beyond():
    """The test above can fail: the rule of degree 3 misses degree 4."""
    x, _, _ = (rule := quadrature.tetrahedron(3)).points
    assert abs(rule.weights @ x**4 / (24 / factorial(7)) - 1) > 1e-4


@given(i=st.integers(0, 7), j=st.integers(0, 7), k=st.integers(0, 7), n=st.integers(1, 3))
def test_gauss_cells_integrate_monomials(i, j, k, n):
    rule = quadrature.on_cells(quadrature.cube(4), n)
    integral = integrate(lambda x: x[0] ** i * x[1] ** j * x[2] ** k, rule)
    assert integral == pytest.approx(1 / ((i + 1) * (j + 1) * (k + 1)), rel=1e-13)


def test_kuhn_points_are_the_points_of_scikit_fems_mesh():
    """Each tetrahedron of `MeshTet.init_tensor` holds as many points, and its share of weight."""
    from skfem import MeshTet

    n, reference = 2, quadrature.kuhn_cube(4)
    mesh = MeshTet.init_tensor(*[np.linspace(0, 1, n + 1)] * 3)
    (rule,) = quadrature.on_cells(reference, n).chunks(size=10**6)
    tets = mesh.element_finder()(*rule.points)
    np.testing.assert_array_equal(np.bincount(tets), np.full(6 * n**3, len(reference) // 6))
    np.testing.assert_allclose(np.bincount(tets, rule.weights), 1 / (6 * n**3), rtol=1e-13)


def test_chunks_are_the_rule_in_pieces():
    """Whatever the size of the pieces: same points, same order, bounded memory."""
    rule = quadrature.on_cells(quadrature.cube(3), 5)
    (whole,) = rule.chunks(size=10**6)
    pieces = list(rule.chunks(size=100))
    assert len(whole) == len(rule) == 27 * 125
    assert max(len(piece) for piece in pieces) <= 100
    np.testing.assert_array_equal(np.concatenate([p.points for p in pieces], axis=1), whole.points)
    assert integrate(analytic, rule) == pytest.approx(whole.weights @ analytic(whole.points))


def test_shared_rules_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        quadrature.cube(2).weights[0] = 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: quadrature.cube(0),
        lambda: quadrature.tetrahedron(-1),
        lambda: quadrature.on_cells(quadrature.cube(2), 0),
        lambda: split_mesh(0),
        lambda: split_mesh(2, degree=-1),
    ],
)
def test_bad_arguments(call):
    with pytest.raises(UserError, match="≥"):
        call()


# ---------------------------------------------------------------- polar rules

every_edge = pytest.mark.parametrize("edge", polar.CORNERS)
VOLUMES = {
    polar.inside_cylinder: np.pi / 4,
    polar.outside_cylinder: 1 - np.pi / 4,
}


@pytest.mark.parametrize("edge", [None, *polar.CORNERS])
@pytest.mark.parametrize(("part", "volume"), VOLUMES.items())
def test_polar_volumes_and_places(part, volume, edge):
    rule = part(SPECTRAL, edge)
    x = rule.points
    assert integrate(one, rule) == pytest.approx(volume, rel=1e-13)
    assert (rule.weights > 0).all()
    outside = part is polar.outside_cylinder
    assert (np.hypot(x[0], x[1]) > 1).all() if outside else (np.hypot(x[0], x[1]) < 1).all()
    assert x.max() < 1
    assert x.min() > 0


@pytest.mark.parametrize("edge", [None, *polar.CORNERS])
def test_parts_make_up_the_cube(edge):
    whole = integrate(analytic, quadrature.cube(16))
    parts = [part(SPECTRAL, edge) for part in (polar.inside_cylinder, polar.outside_cylinder)]
    assert sum(integrate(analytic, part) for part in parts) == pytest.approx(whole, rel=1e-13)


@every_edge
def test_singular_integral_over_the_cube(edge):
    """∫ 1/R over the unit square from any of its corners is 2 log(1 + √2)."""
    parts = [part(SPECTRAL, edge) for part in (polar.inside_cylinder, polar.outside_cylinder)]
    integral = sum(integrate(singular_at(edge), part) for part in parts)
    exact = 2 * np.log(1 + np.sqrt(2)) * np.sin(1)
    # (1, 1) lies 0.41 from the inside part, whose rule is not graded towards it: 4e-11
    assert integral == pytest.approx(exact, rel=1e-13 if edge != polar.FAR else 1e-10)


def test_plain_rules_miss_the_singular_integral():
    """Why graded rules exist: 20³ plain Gauss points leave 6e-4, the graded ones 1e-13."""
    exact = 2 * np.log(1 + np.sqrt(2)) * np.sin(1)
    assert 5e-4 < 1 - integrate(singular_at(EDGE), quadrature.cube(20)) / exact < 7e-4


def test_lines_that_are_no_edge_have_no_rule():
    for edge in ((0.5, 0.0), (-1.0, 0.0)):
        for part in VOLUMES:
            with pytest.raises(UserError, match="vertical edge of the cube"):
                part(SPECTRAL, edge)
        with pytest.raises(UserError, match="vertical edge of the cube"):
            split_mesh(2, edge=edge)


# ---------------------------------------------------------------- cut cells


@pytest.mark.parametrize("tets", [True, False])
@pytest.mark.parametrize("edge", [None, *polar.CORNERS])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_cut_cells_agree_with_polar_rules(n, edge, tets):
    parts = split_mesh(n, 8, tets=tets, edge=edge)
    plain = {"inside": polar.inside_cylinder, "outside": polar.outside_cylinder}
    for part, rule in parts.items():
        assert integrate(analytic, rule) == pytest.approx(
            integrate(analytic, plain[part](SPECTRAL)), rel=2e-11
        )
        assert len(rule) == sum(len(piece) for piece in rule.chunks())
        radii = np.concatenate([np.hypot(*piece.points[:2]) for piece in rule.chunks()])
        assert (radii < 1).all() if part == "inside" else (radii > 1).all()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_cut_cells_respect_every_tetrahedron(n):
    """A different polynomial on each tetrahedron: the two parts give the whole, exactly."""
    whole = integrate(
        lambda x: on_tetrahedra(x, n), quadrature.on_cells(quadrature.kuhn_cube(4), n)
    )
    for edge in (None, *polar.CORNERS):
        parts = split_mesh(n, 4, edge=edge).values()
        assert sum(integrate(lambda x: on_tetrahedra(x, n), part) for part in parts) == (
            pytest.approx(whole, rel=1e-10)
        )


@every_edge
@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
def test_cut_cells_resolve_the_edge(n, edge):
    graded = {"inside": polar.inside_cylinder, "outside": polar.outside_cylinder}
    for part, rule in split_mesh(n, 8, edge=edge).items():
        exact = integrate(singular_at(edge), graded[part](SPECTRAL, edge))
        assert integrate(singular_at(edge), rule) == pytest.approx(exact, rel=1e-6)
