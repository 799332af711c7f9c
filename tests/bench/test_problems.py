"""One contract for every problem: the closed forms satisfy their own equations."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import kstest

from base.errors import UserError
from bench import problems

STENCIL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
STEP = 0.01  # eighth order: truncation below 1e-12 at 0.3 from an edge, rounding 1e-14

every_problem = pytest.mark.parametrize(
    "problem", [problems.get(name) for name in problems.names()]
)
coordinates = arrays(
    float,
    array_shapes(max_dims=2, max_side=4).map(lambda shape: (3, *shape)),
    elements=st.floats(-1, 1),
)


def gradient(function, x):
    """∂_j function as (..., 3, N), by eighth-order central differences."""
    shifts = STEP * np.arange(4, -5, -1)[::-1]
    columns = []
    for axis in np.eye(3):
        values = [function(x + s * axis[:, None]) for s in shifts]
        columns.append(np.tensordot(STENCIL, np.stack(values), axes=1) / STEP)
    return np.stack(columns, axis=-2)


def curl(field, x):
    D = gradient(field, x)
    return np.stack([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])


def away_from_singularities(problem, count=400):
    """Points of (−1, 1)² × (0, 1), at least 0.3 from a singular edge."""
    x = np.random.Generator(np.random.Philox(7)).random((3, count)) * 2 - 1
    x[2] = (x[2] + 1) / 2
    if problem.domain is not problems.maxwell.domain:  # not the cylinder about the cube's edge
        x = problem.domain.sample(count, seed=7)
    if problem.singular_edge is None:
        return x
    a, b = problem.singular_edge
    return x[:, np.hypot(x[0] - a, x[1] - b) > 0.3]


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "problem", [p for p in map(problems.get, problems.names()) if p.reference_error is None]
)
class TestClosedForm:
    def test_curl(self, problem):
        x = away_from_singularities(problem)
        close(curl(problem.u, x), problem.curl_u(x))

    def test_divergence(self, problem):
        x = away_from_singularities(problem)
        close(np.trace(gradient(problem.u, x)[:, :3]), problem.rho(x))

    def test_pde(self, problem):
        x = away_from_singularities(problem)
        close(curl(lambda y: problem.phi(y) * problem.curl_u(y), x), problem.f(x))

    def test_grad_phi(self, problem):
        x = away_from_singularities(problem)
        close(gradient(problem.phi, x), problem.grad_phi(x))


@every_problem
class TestContract:
    def test_record(self, problem):
        assert getattr(problems, problem.name) is problem is problems.get(problem.name)
        assert problem.title
        assert problem.smooth == (problem.singular_edge is None)

    @settings(deadline=None)  # a reference is read from its file when it is first asked
    @given(x=coordinates)
    def test_shapes_and_values_are_finite_everywhere(self, problem, x):
        for field in (problem.u, problem.curl_u, problem.f, problem.grad_phi):
            assert field(x).shape == x.shape
            assert np.isfinite(field(x)).all()
        for scalar in (problem.phi, problem.rho):
            assert scalar(x).shape == x.shape[1:]
            assert np.isfinite(scalar(x)).all()

    def test_finite_on_axis_and_edge(self, problem):
        x = np.array([[0, 0, 0.5], [1, 0, 0.5], [1, 0, 0], [1e-320, 0, 0], [1, 1e-300, 0]]).T
        assert np.isfinite(problem.u(x)).all()
        assert np.isfinite(problem.curl_u(x)).all()
        assert np.isfinite(problem.f(x)).all()

    @pytest.mark.parametrize("shape", [(), (2,), (5, 3)])
    def test_wrong_shape_is_a_user_error(self, problem, shape):
        for function in (problem.u, problem.curl_u, problem.f, problem.phi, problem.grad_phi):
            with pytest.raises(UserError, match="coordinates first"):
                function(np.zeros(shape))

    def test_inputs_and_targets(self, problem):
        x = problem.sample_cylinder(50, seed=0)
        inputs = problem.inputs(x)
        assert inputs.shape == (50, 7)
        assert problem.targets(x).shape == (50, 3)
        np.testing.assert_array_equal(inputs[:, :3].T, x)
        np.testing.assert_array_equal(inputs[:, 3:6].T, problem.f(x))
        np.testing.assert_array_equal(inputs[:, 6], problem.phi(x))
        np.testing.assert_array_equal(problem.inputs(x, ("x",)), inputs[:, :3])
        np.testing.assert_array_equal(problem.inputs(x, ("x", "phi")), inputs[:, [0, 1, 2, 6]])
        np.testing.assert_array_equal(problem.targets(x).T, problem.u(x))

    @pytest.mark.parametrize("features", [("x", "fi"), (), ("x", "x"), "u"])
    def test_wrong_features(self, problem, features):
        with pytest.raises(UserError, match="feature"):
            problem.inputs(np.zeros((3, 1)), features)


def test_unknown_problem_names_the_nearest():
    with pytest.raises(UserError, match="did you mean 'maxwell'"):
        problems.get("maxwel")


def test_paper_field_comes_first():
    assert problems.names()[0] == "maxwell"
    assert {"maxwell", "helix", "screen", "curlsing"} <= set(problems.names())


@pytest.mark.parametrize("radius", [0.0, 1e-300, 1e-12, 9.9e-9, 1.1e-8, 1e-3, 0.7, 1.0, 1.4])
def test_maxwell_is_exact_to_rounding(radius):
    x = np.array([radius * 0.6, radius * 0.8, 0.3])
    r = mpmath.sqrt(mpmath.mpf(x[0]) ** 2 + mpmath.mpf(x[1]) ** 2)
    factor = mpmath.besseli(1, r) / r if r else mpmath.mpf("0.5")
    exact = np.array([float(-factor * x[1]), float(factor * x[0]), 0.0])
    np.testing.assert_allclose(problems.maxwell.u(x), exact, rtol=1e-15)
    np.testing.assert_allclose(
        problems.maxwell.curl_u(x)[2], float(mpmath.besseli(0, r)), rtol=1e-15
    )


def test_input_f_nearly_is_the_answer():
    """u = −q(φ) f with q in [0.25, 0.40] (maths 1)."""
    x = np.random.Generator(np.random.Philox(3)).random((3, 1000))
    u, f = problems.maxwell.u(x), problems.maxwell.f(x)
    q = -u[1] / f[1]
    np.testing.assert_allclose(u[0], -q * f[0], rtol=1e-13)
    assert 0.25 <= q.min() < 0.26
    assert 0.39 < q.max() <= 0.40


def test_screen_has_maxwells_data_and_another_answer():
    x = problems.screen.sample_cylinder(100, seed=0)
    np.testing.assert_array_equal(problems.screen.inputs(x), problems.maxwell.inputs(x))
    assert np.abs(problems.screen.u(x) - problems.maxwell.u(x)).min(axis=1).max() > 1e-3


def test_screen_potential_gives_line_integrals():
    """∫_a^b (u − u_maxwell)·t = ψ(b) − ψ(a), here along an edge at the singular line."""
    nodes, weights = np.polynomial.legendre.leggauss(30)
    sigma, weights = (nodes + 1) / 2, weights / 2
    a, b = np.array([1.0, 0.0, 0.25]), np.array([0.75, 0.0, 0.25])
    x = a[:, None] + (b - a)[:, None] * sigma**2  # grading takes the root singularity away
    gradient_part = problems.screen.u(x) - problems.maxwell.u(x)
    integral = np.sum(weights * 2 * sigma * ((b - a) @ gradient_part))
    psi = problems.screen.potential
    assert integral == pytest.approx(psi(b) - psi(a), abs=1e-13)


@pytest.mark.parametrize("R", [0.0, 1e-9, 1e-4, 0.3, 0.999, 1.001, 2.2])
def test_screen_series_meet_their_closed_forms(R):
    from bench.problems.screen import sinh_over, sinh_over_slope

    with mpmath.workdps(50):
        exact = (
            (mpmath.cosh(R) - mpmath.sinh(R) / R) / mpmath.mpf(R) ** 2 if R else mpmath.mpf(1) / 3
        )
        assert float(sinh_over_slope(np.float64(R))) == pytest.approx(float(exact), rel=1e-15)
        S = mpmath.sinh(R) / R if R else mpmath.mpf(1)
        assert float(sinh_over(np.float64(R))) == pytest.approx(float(S), rel=1e-15)


@pytest.mark.parametrize("name", ["screen", "curlsing"])
def test_formulas_about_the_edge_are_those_of_the_problem(name):
    problem, local = problems.get(name), problems.get(name).about_edge
    y = local.domain.sample(200, 0)
    x = y + np.array([[1.0], [0.0], [0.0]])
    assert problem.domain.contains(x).all()
    for formula in ("u", "curl_u", "f", "phi", "grad_phi", "potential", "grad_potential"):
        if (here := getattr(local, formula)) is not None:
            np.testing.assert_allclose(
                here(y), getattr(problem, formula)(x), rtol=1e-10, atol=1e-13
            )


def test_layers_about_the_edge_go_on_where_coordinates_end():
    """Of `screen`: 14 layers leave 6.3e-7; there 1 − x₁ is known to four digits."""
    from bench.methods.finite_elements import Discretisation, approximate

    chosen = Discretisation(element="hexP", order=8, n=1, layers=18, solve=True)
    with pytest.raises(UserError, match="at most 14"):
        chosen.mesh_for(problems.screen)
    assert approximate(chosen.frame(problems.screen), chosen).l2_error < 1e-7


def test_a_solution_about_the_edge_has_the_errors_and_the_bound_of_the_other():
    from bench.methods.certificates.certify import certify
    from bench.methods.finite_elements import Discretisation, approximate

    chosen = Discretisation(element="hexP", order=3, n=1, layers=3, solve=True)
    there, here = (
        (approximate(problem, chosen), problem)
        for problem in (problems.curlsing, problems.curlsing.about_edge)
    )
    assert here[0].l2_error == pytest.approx(there[0].l2_error, rel=1e-9)
    assert certify(*here).l2_bound == pytest.approx(certify(*there).l2_bound, rel=1e-5)


class TestSampling:
    sample = staticmethod(problems.maxwell.sample_cylinder)

    def test_uniform_in_volume(self):
        x1, x2, x3 = self.sample(20_000, seed=1)
        angle = np.arctan2(x2, x1) / (2 * np.pi) + 0.5
        for uniform in (x1**2 + x2**2, angle, x3):
            assert kstest(uniform, "uniform").pvalue > 1e-3

    def test_inside_the_cylinder(self):
        assert problems.maxwell.in_cylinder(self.sample(20_000, seed=2)).all()
        outside = np.array([[0.8, 0.8, 0.5], [0, 0, 1.1], [0, 0, -0.1]]).T
        assert not problems.maxwell.in_cylinder(outside).any()

    def test_reproducible_and_streams_differ(self):
        np.testing.assert_array_equal(self.sample(10, seed=3), self.sample(10, seed=3))
        streams = [self.sample(10, seed=s, test=t) for s in range(4) for t in (False, True)]
        assert len({x.tobytes() for x in streams}) == len(streams)

    def test_philox(self):
        uniform = np.random.Generator(np.random.Philox(5)).random((3, 4))
        np.testing.assert_array_equal(self.sample(4, seed=5)[2], uniform[2])

    @pytest.mark.parametrize(("N", "seed"), [(0, 0), (-1, 0), (1, -1)])
    def test_bad_arguments(self, N, seed):
        with pytest.raises(UserError, match="must be"):
            self.sample(N, seed)


class TestFichera:
    """A reference, not a closed form: held against an independent solve and its own estimate."""

    def test_the_file_says_how_good_it_is(self):
        from bench.problems.parts.fichera_reference import stored

        space, x, error = stored()
        assert error == pytest.approx(problems.fichera.reference_error, rel=0.05)
        assert x.shape == (space.dofs,)

    def test_u_has_no_tangential_trace(self):
        rim = problems.fichera.domain.sample_boundary(500, 0)
        trace = np.cross(problems.fichera.u(rim.x), rim.normal, axis=0)
        np.testing.assert_allclose(trace, 0, atol=1e-8)

    def test_an_independent_method_comes_as_near_as_it_should(self):
        """N0 on graded tets, which shares nothing with the reference: its distance falls with n."""
        from bench.methods.finite_elements import Discretisation, approximate

        found = [
            approximate(problems.fichera, Discretisation(n=n, grading=2.0, solve=True))
            for n in (2, 4)
        ]
        assert found[1].l2_relative < 0.65 * found[0].l2_relative
        assert found[1].l2_relative < 0.3
