"""One contract for every domain: points, rules, meshes and faces tell of the same place."""

import numpy as np
import pytest

from base.errors import UserError
from bench import domains, problems
from bench.domains.cube import CORNERS
from bench.problems import Problem
from fem.rules.quadrature import integrate

every_domain = pytest.mark.parametrize(
    "domain", [domains.get(name) for name in domains.names()], ids=lambda domain: domain.name
)
SAMPLES = 4096


def one(x):
    return np.ones(x.shape[1:])


def monomials(x):
    """Moments up to the second: what a wrong density moves first."""
    return np.stack([*x, *(x * x), x[0] * x[1], x[1] * x[2], x[2] * x[0]])


def means(rules, volume):
    """The monomials' means over the domain by its rules."""
    pieces = [piece for rule in rules for piece in rule.chunks()]
    return sum(monomials(piece.points) @ piece.weights for piece in pieces) / volume


def training_means(domain):
    """The monomials' means over the training part: of the cylinder 0, ¼, ½ and ⅓."""
    if domain.training_part == "whole":
        return means(domain.rules().values(), domain.volume)
    return np.array([0, 0, 1 / 2, 1 / 4, 1 / 4, 1 / 3, 0, 0, 0])


def within(samples, exact, errors=5.0):
    """Whether the samples' means lie within that many standard errors."""
    spread = samples.std(axis=1) / np.sqrt(samples.shape[1])
    return (abs(samples.mean(axis=1) - exact) <= errors * spread + 1e-12).all()


@every_domain
class TestContract:
    def test_record(self, domain):
        assert domains.get(domain.name) is domain
        assert domain.title
        names = [face.name for face in domain.faces]
        assert len(set(names)) == len(names)
        assert hash(domain)  # tables of points are kept per problem

    def test_every_rule_has_the_volume(self, domain):
        parts = domain.rules()
        assert domain.training_part in parts
        whole = sum(integrate(one, rule) for rule in parts.values())
        assert whole == pytest.approx(domain.volume, rel=1e-9)
        for cell in ("tet", "hex"):
            on_mesh = domain.mesh_rules(2, cell, 6)
            assert set(on_mesh) == set(parts)
            for part, rule in on_mesh.items():
                assert integrate(one, rule) == pytest.approx(integrate(one, parts[part]), rel=1e-8)
            gauss = domain.gauss_rule(2, cell, 4)
            assert integrate(one, gauss) == pytest.approx(domain.volume, rel=1e-12)

    def test_rules_agree_with_the_mesh(self, domain):
        """A third way to the integral: the cells' own Gauss points on a finer mesh."""

        def analytic(x):
            return np.exp(0.3 * x[0] - 0.5 * x[1]) * np.cos(x[2] + x[0])

        exact = integrate(analytic, domain.gauss_rule(3, "tet", 9))
        parts = sum(integrate(analytic, rule) for rule in domain.rules().values())
        assert parts == pytest.approx(exact, rel=1e-8)

    @pytest.mark.parametrize("how", ["random", "quasi"])
    def test_samples_are_inside_and_uniform(self, domain, how):
        x = domain.sample(SAMPLES, seed=1, how=how)
        assert x.shape == (3, SAMPLES)
        assert domain.contains(x).all()
        assert within(monomials(x), means(domain.rules().values(), domain.volume))

    def test_quasi_random_points_are_even(self, domain):
        """The mean of x over Sobol's points is nearer than the root of N allows."""
        exact = means(domain.rules().values(), domain.volume)[:3]
        quasi = domain.sample(SAMPLES, seed=2, how="quasi").mean(axis=1)
        spread = domain.sample(SAMPLES, seed=2).std(axis=1) / np.sqrt(SAMPLES)
        assert (abs(quasi - exact) < 0.2 * spread).all()

    def test_training_points_are_uniform_in_the_training_part(self, domain):
        for test in (False, True):
            x = domain.sample_training(SAMPLES, seed=3, test=test)
            assert domain.in_training(x).all()
            assert within(monomials(x), training_means(domain))

    def test_query_points_are_in_both(self, domain):
        x = domain.query_points(500)
        assert domain.contains(x).all()
        assert domain.in_training(x).all()

    def test_streams_differ_and_repeat(self, domain):
        drawn = [domain.sample(8, seed, "random", stream) for seed in (0, 1) for stream in (0, 1)]
        drawn += [domain.sample_training(8, seed, test) for seed in (0, 1) for test in (0, 1)]
        drawn += [domain.sample(8, 0, "quasi"), domain.sample(8, 1, "quasi")]
        assert len({x.tobytes() for x in drawn}) == len(drawn)
        for how in ("random", "quasi"):
            again = [domain.sample(8, 5, how) for _ in range(2)]
            np.testing.assert_array_equal(*again)

    @pytest.mark.parametrize("how", ["random", "quasi"])
    def test_boundary_points_lie_on_their_faces(self, domain, how):
        found = domain.sample_boundary(SAMPLES, seed=4, how=how)
        assert found.x.shape == found.normal.shape == (3, SAMPLES)
        assert domain.contains(found.x).all()
        np.testing.assert_allclose(np.linalg.norm(found.normal, axis=0), 1, rtol=1e-14)
        for k, face in enumerate(domain.faces):
            on = found.face == k
            np.testing.assert_array_equal(
                found.normal[:, on].T, np.tile(face.normal, (on.sum(), 1))
            )
            np.testing.assert_allclose(face.normal @ found.x[:, on], face.offset, atol=1e-12)
            step = 1e-6 * found.normal[:, on]
            assert not domain.contains(found.x[:, on] + step).any(), "normals point outwards"
            assert domain.contains(found.x[:, on] - step).mean() > 0.99
        area = np.array([face.area for face in domain.faces])
        share = np.bincount(found.face, minlength=len(area)) / SAMPLES
        expected = area / area.sum()
        assert (abs(share - expected) < 5 * np.sqrt(expected / SAMPLES)).all()

    def test_the_divergence_theorem_holds(self, domain):
        """3 |Ω| = ∮ x·n, exactly, as n·x is constant on each face; and ∮ n = 0."""
        faces = domain.faces
        assert sum(f.offset * f.area for f in faces) == pytest.approx(3 * domain.volume, rel=1e-12)
        np.testing.assert_allclose(sum(f.area * np.asarray(f.normal) for f in faces), 0, atol=1e-12)

    def test_some_faces_only(self, domain):
        names = [face.name for face in domain.faces][1:3]
        found = domain.sample_boundary(200, seed=0, faces=names)
        assert set(np.unique(found.face)) == {1, 2}
        with pytest.raises(UserError, match="has no face"):
            domain.sample_boundary(10, seed=0, faces=["the moon"])

    def test_meshes_fill_the_domain(self, domain):
        for cell, vertices in (("tet", 4), ("hex", 8)):
            mesh = domain.mesh(2, cell)
            assert mesh.t.shape[0] == vertices
            assert domain.contains(mesh.p[:, mesh.t].mean(axis=1)).all()
            assert domain.cells(2, cell) == pytest.approx(mesh.t.shape[1], rel=0.5)
        assert domain.training_cells(2) == pytest.approx(
            domain.training_mesh(2).t.shape[1], rel=0.5
        )

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [((0, 0), "≥ 1"), ((5, -1), "seed"), ((5, 0, "sobol"), "random or quasi")],
    )
    def test_bad_arguments(self, domain, arguments, said):
        with pytest.raises(UserError, match=said):
            domain.sample(*arguments)

    def test_lines_without_a_rule_are_refused(self, domain):
        with pytest.raises(UserError, match=r"quadrature|rule"):
            domain.rules(edges=((0.31, 0.47),))
        with pytest.raises(UserError, match=r"quadrature|rule"):
            domain.mesh_rules(2, "tet", 6, edges=((0.31, 0.47),))


def test_unknown_domain_names_the_nearest():
    with pytest.raises(UserError, match="did you mean 'cube'"):
        domains.get("cub")
    assert domains.names()[0] == "cube"


# ---------------------------------------------------------------- the cube's edges


@pytest.mark.parametrize("edge", CORNERS)
def test_fields_singular_at_any_edge_of_the_cube(edge):
    """∫ 1/R over the square from a corner is 2 log(1 + √2): by parts, and by parts on a mesh."""
    cube, exact = domains.get("cube"), 2 * np.log(1 + np.sqrt(2))

    def singular(x):
        return 1 / np.hypot(x[0] - edge[0], x[1] - edge[1])

    def total(rules):
        return sum(integrate(singular, rule) for rule in rules.values())

    assert total(cube.rules((edge,))) == pytest.approx(exact, rel=1e-6)
    for n, cell in ((1, "tet"), (2, "hex"), (5, "tet")):
        assert total(cube.mesh_rules(n, cell, 8, (edge,))) == pytest.approx(exact, rel=1e-6)
    if edge != (0, 0):  # about the axis, where polar coordinates take 1/R away by themselves
        assert abs(total(cube.rules()) / exact - 1) > 1e-5, "a rule for smooth fields misses it"


@pytest.mark.parametrize("edge", CORNERS)
def test_a_problem_singular_elsewhere_is_measured_rightly(edge):
    """`screen` mirrored to another edge: its best approximation's error by both rulers."""
    from bench.measure.norms import field_errors
    from bench.measure.quadrature import mesh_rules
    from fem import best_approximation

    mirror = np.array([[1 if edge[0] == 1 else -1], [1 if edge[1] == 0 else -1], [1]])
    shift = np.array([[1.0 if edge[0] == 0 else 0.0], [1.0 if edge[1] == 1 else 0.0], [0.0]])

    def psi_slope(x):
        flat = np.reshape(x, (3, -1))
        return (mirror * problems.screen.grad_potential(shift + mirror * flat)).reshape(np.shape(x))

    def nothing(x):
        return np.zeros(np.shape(x))

    moved = Problem(
        name="moved", title="a moved singularity", u=psi_slope, curl_u=nothing, f=nothing,
        phi=problems.maxwell.phi, grad_phi=problems.maxwell.grad_phi, singular_edge=edge,
    )  # fmt: skip
    solution = best_approximation(moved.u, moved.curl_u, 2, singular_edge=edge)
    errors = field_errors(solution, moved, rules=mesh_rules(moved, 2, "N0", 8))
    assert errors["l2_error"] == pytest.approx(solution.l2_error, rel=1e-5)
    norm = field_errors(nothing, moved)["l2_error"]
    reference = field_errors(nothing, moved, rules=mesh_rules(moved, 4, "hexN0", 10))["l2_error"]
    assert norm == pytest.approx(reference, rel=1e-5)


def test_two_edges_have_no_rule():
    with pytest.raises(UserError, match="one singular edge only, got 2"):
        domains.get("cube").rules(edges=((0.0, 0.0), (1.0, 0.0)))


def test_natural_faces_must_be_faces():
    with pytest.raises(UserError, match="has no face 'x4=0'"):
        Problem(
            name="p", title="t", u=np.sin, curl_u=np.sin, f=np.sin, phi=np.sin, grad_phi=np.sin,
            natural=("x4=0",),
        )  # fmt: skip
