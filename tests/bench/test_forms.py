"""Forms of the equation: the exact field has no residual, operators are those of autograd."""

from __future__ import annotations

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from bench.methods import forms
from bench.methods.collocation import built_in as _built_in
from bench.methods.collocation import clouds as _clouds
from bench.methods.collocation import operators as _operators
from bench.methods.collocation.clouds import distance_from_edge, edge_power, inside_cloud, rim_cloud
from fem.test_functions import lowest_order

CENTRE = np.full(3, 0.5)


def difference_jets(field, x, order, step=1e-3):
    """Jets (channels, outputs, N) of a field (3, N) -> (outputs, N) by fourth-order differences."""
    value = field(x)
    first, second = [], {}
    units = np.eye(3)[:, :, None]
    for j in range(3):
        near = field(x + step * units[j]) - field(x - step * units[j])
        far = field(x + 2 * step * units[j]) - field(x - 2 * step * units[j])
        first.append((8 * near - far) / (12 * step))
        near = field(x + step * units[j]) + field(x - step * units[j])
        far = field(x + 2 * step * units[j]) + field(x - 2 * step * units[j])
        second[j, j] = (16 * near - far - 30 * value) / (12 * step**2)
        for k in range(j):
            mixed = [
                sign * field(x + step * (a * units[j] + b * units[k]))
                for a, b, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
            ]
            second[k, j] = sum(mixed) / (4 * step**2)
    channels = [value]
    if order != "value":
        channels += first
    if order == "laplacian":
        channels.append(second[0, 0] + second[1, 1] + second[2, 2])
    if order == "second":
        channels += [second[pair] for pair in _operators.SECOND]
    return np.stack(channels)


def residuals_of(field, term):
    jets = difference_jets(field, term.x.T, term.order)
    r = np.einsum("mcin,cin->mn", term.A, jets) - term.b
    return r.reshape(-1) if term.test is None else term.test @ r.reshape(-1)


def terms_at_points(problem, form, N=60):
    inside, rim = inside_cloud(problem, N, 0, "quasi"), rim_cloud(problem, N, 0, "quasi")
    return forms.terms(problem, inside, rim, form=form)


def exact_field(problem, outputs):
    if outputs == 3:
        return problem.u
    return lambda x: np.concatenate([problem.u(x), problem.curl_u(x)])


@pytest.mark.parametrize("name", ["maxwell", "helix"])
@pytest.mark.parametrize("form", forms.names())
def test_the_exact_field_has_no_residual_and_another_field_has(form, name):
    problem = problems.get(name)
    terms = terms_at_points(problem, form)
    exact = exact_field(problem, forms.get(form).OUTPUTS)

    def wrong(x):
        return exact(x) + 0.1 * np.sin(3 * x[::-1].repeat(forms.get(form).OUTPUTS // 3, axis=0))

    for term in terms:
        r, scale = residuals_of(exact, term), residuals_of(wrong, term)
        # differences and, for the weak form, a rule of degree 4 on a coarse mesh
        assert np.linalg.norm(r) < (2e-2 if term.test is not None else 1e-5) * np.linalg.norm(scale)


def test_curl_curl_and_the_laplacian_say_the_same_of_a_field_without_divergence():
    problem = problems.get("helix")
    x = problem.domain.sample(20, 0)
    by_six = np.einsum(
        "mcin,cin->mn", _operators.curl_curl(20), difference_jets(problem.u, x, "second")
    )
    by_one = np.einsum(
        "mcin,cin->mn", _operators.laplacian(20), difference_jets(problem.u, x, "laplacian")
    )
    np.testing.assert_allclose(by_six, -by_one, atol=1e-4 * np.abs(by_one).max())


def test_tangents_are_right_handed():
    random = np.random.default_rng(0)
    normal = random.normal(size=(3, 50))
    normal /= np.linalg.norm(normal, axis=0)
    t1, t2 = _operators.tangents(normal)
    np.testing.assert_allclose(np.cross(t1, t2, axis=0), normal, atol=1e-14)
    np.testing.assert_allclose(np.einsum("in,in->n", t1, t1), 1.0)


class TestPoints:
    def test_weights_are_those_of_a_mean(self):
        """∫ R over the cube, by graded points with their weights and by many uniform ones."""
        problem = problems.get("curlsing")
        cloud = inside_cloud(problem, 4000, 0)
        found = float(cloud.weights @ distance_from_edge(problem, cloud.x))
        uniform = distance_from_edge(problem, problem.domain.sample(200_000, 1)).mean()
        assert found == pytest.approx(uniform, rel=0.05)
        assert inside_cloud(problems.get("helix"), 100, 0).weights.sum() == pytest.approx(1.0)

    def test_they_crowd_at_the_singular_edge(self):
        problem = problems.get("curlsing")
        near = np.median(distance_from_edge(problem, inside_cloud(problem, 500, 0).x))
        far = np.median(distance_from_edge(problem, problem.domain.sample(500, 0)))
        assert near < 0.85 * far

    def test_the_edge_power_is_the_least_that_integrates(self):
        """u × n ∼ R^−½ on the faces of `screen`; f ∼ R^−½ inside for `curlsing`."""
        powers = {}
        for name in problems.names():
            problem = problems.get(name)
            if problem.domain.name != "cube":
                continue
            x, rim = problem.domain.sample(300, 0), problem.domain.sample_boundary(300, 0)
            on = _clouds.faces_at_edge(problem)[rim.face]
            powers[name] = (
                edge_power(problem, x, problem.f, 2),
                edge_power(problem, rim.x[:, on], problem.u, 1),
            )
        assert powers["screen"] == (0, 1)
        assert powers["curlsing"] == (0, 0)
        assert powers["maxwell"] == powers["helix"] == (0, 0)

    def test_seeds_and_streams_move_them(self):
        problem = problems.get("screen")
        first, again = (inside_cloud(problem, 50, 3).x for _ in range(2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, inside_cloud(problem, 50, 4).x)
        assert not np.array_equal(first, inside_cloud(problem, 50, 3, stream=1).x)

    def test_too_few_or_unknown_ones_are_refused(self):
        problem = problems.get("maxwell")
        with pytest.raises(UserError, match="3 points are too few"):
            inside_cloud(problem, 3, 0)
        with pytest.raises(UserError, match="random or quasi"):
            rim_cloud(problem, 50, 0, "sobol")


class TestBuiltIn:
    def test_whatever_the_net_the_trace_is_right(self):
        problem = problems.get("helix")
        built = _built_in.box_values(problem)
        rim = problem.domain.sample_boundary(200, 0)
        v = np.random.default_rng(0).normal(size=(1, 3, 200))
        u = built.field(rim.x, v, "value")[0]
        wrong = np.cross(u - problem.u(rim.x), rim.normal, axis=0)
        assert np.abs(wrong).max() < 1e-10

    @pytest.mark.parametrize("order", ["value", "first", "laplacian", "second"])
    def test_residuals_of_the_field_are_residuals_of_the_net(self, order):
        """The product rule against differences of lift + factor · v."""
        from nets.residuals.terms import Residuals

        problem, random = problems.get("helix"), np.random.default_rng(1)
        built = _built_in.box_values(problem)
        x = random.uniform(0.1, 0.9, (3, 6))
        A = random.normal(size=(2, _operators.CHANNELS[order], 3, 6))
        term = Residuals(x=x.T, order=order, A=A, b=np.zeros((2, 6)), labels=("a", "b"))

        def v(x):
            return np.sin(2 * x + x[::-1])

        def u(x):
            return built.lift(x, "value")[0] + built.factors(x, "value")[0] * v(x)

        through = residuals_of(v, built.of_the_net(term))
        direct = residuals_of(u, term)
        np.testing.assert_allclose(through, direct, rtol=1e-4, atol=1e-4)

    def test_where_it_cannot_be_it_is_refused(self):
        with pytest.raises(UserError, match="screen are singular"):
            _built_in.box_values(problems.get("screen"))


def test_test_functions_integrate_by_parts():
    """∫ v·curl w = ∫ curl v·w for w × n = 0, and as many functions as edges inside."""
    mesh = problems.get("helix").domain.mesh(2)
    tests = lowest_order(mesh, degree=8)
    assert len(tests) == 26  # of the 98 edges of Kuhn's mesh, n = 2, those not on the boundary
    helix = problems.get("helix")
    v, curl = helix.u(tests.points), helix.curl_u(tests.points)
    np.testing.assert_allclose(tests.curls @ v.reshape(-1), tests.values @ curl.reshape(-1),
                               atol=1e-6)  # fmt: skip
    assert tests.weights.sum() == pytest.approx(1.0)
    ones = tests.norms(np.ones(len(tests.weights)))
    assert np.all(ones > 0)
    np.testing.assert_allclose(tests.norms(4 * np.ones(len(tests.weights))), 2 * ones)


def test_an_unknown_form_is_named():
    with pytest.raises(UserError, match="did you mean 'strong'"):
        forms.get("stron")
