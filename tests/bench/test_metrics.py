"""Norms against closed forms, against refined rules, and against the finite elements' own."""

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from bench.domains.cube import DEFAULT
from bench.measure.net_fields import net_errors, net_field
from bench.measure.norms import (
    curl_of,
    field_errors,
    l2_norm,
    relative_test_error,
    tabulated_domain,
    tabulated_mesh,
)
from bench.measure.quadrature import domain_rules, gauss_rule, mesh_rules
from fem.rules import quadrature
from fem.rules.polar import Resolution

EVERYWHERE = [problems.get(name) for name in problems.names()]
ALL = [problem for problem in EVERYWHERE if problem.domain.structured]  # in and out of the cylinder
SMOOTH = [problem for problem in ALL if problem.smooth]
every_problem = pytest.mark.parametrize("problem", ALL, ids=lambda problem: problem.name)
every_smooth_problem = pytest.mark.parametrize("problem", SMOOTH, ids=lambda problem: problem.name)
FINE = Resolution(order=12, angle=6, radius=3, height=3)
PARTS = ("l2_error", "l2_error_inside", "l2_error_outside")


def nothing(x):
    return np.zeros(np.shape(x))


def mlp(hidden, width, activation, inputs=7, seed=0):
    import torch

    torch.manual_seed(seed)
    sizes = [inputs] + [width] * hidden
    layers = [
        layer
        for n_in, n_out in pairwise(sizes)
        for layer in (torch.nn.Linear(n_in, n_out), activation())
    ]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 3, bias=False)).double()


# ---------------------------------------------------------------- values and the rule's own error


@pytest.mark.parametrize(("name", "norm"), [("maxwell", 0.4586466), ("helix", 1.45999621)])
def test_norms_of_the_spec(name, norm):
    errors = field_errors(nothing, problems.get(name))
    assert errors["l2_error"] == pytest.approx(norm, rel=1e-7)
    assert errors["relative_l2_error"] == pytest.approx(1, rel=1e-14)


@every_problem
def test_default_rule_is_converged(problem):
    """Refine the rule: nothing moves. 5e-9 for the smooth fields, 2e-7 for the singular ones."""
    default = field_errors(nothing, problem, curl=nothing)
    fine = field_errors(nothing, problem, curl=nothing, rules=domain_rules(problem, FINE))
    for key in (*PARTS, "curl_error", "hcurl_error"):
        assert default[key] == pytest.approx(fine[key], rel=1e-8 if problem.smooth else 3e-7)


@pytest.mark.parametrize("name", ["reentrant", "reentrant3d"])
def test_the_rule_about_a_reentrant_edge_is_converged(name):
    problem = problems.get(name)
    default = field_errors(nothing, problem, curl=nothing)
    rules = domain_rules(problem, Resolution(order=10, angle=3, radius=4, height=2))
    fine = field_errors(nothing, problem, curl=nothing, rules=rules)
    for key in ("l2_error", "curl_error", "hcurl_error"):
        assert default[key] == pytest.approx(fine[key], rel=3e-7)
    shifted = field_errors(lambda x: problem.u(x) + 1.0, problem)
    assert shifted["l2_error"] == pytest.approx(3.0, rel=1e-9)  # √3 on a volume of 3


@every_smooth_problem
def test_inside_and_outside_make_the_whole(problem):
    """Against a rule that knows of no cylinder."""
    whole = l2_norm(problem.u, quadrature.cube(20))
    errors = field_errors(nothing, problem, rules=domain_rules(problem, FINE))
    assert math.hypot(errors["l2_error_inside"], errors["l2_error_outside"]) == pytest.approx(
        whole, rel=1e-13
    )
    assert errors["l2_error"] == pytest.approx(whole, rel=1e-13)


@every_problem
def test_a_known_error_is_measured(problem):
    """u + c is wrong by |c| √volume, curl u + d by |d|, and a divergence of 2 by 2."""
    c, d = np.array([[0.3], [-0.4], [1.2]]), np.array([[2.0], [1.0], [-2.0]])
    errors = field_errors(
        lambda x: problem.u(x) + c,
        problem,
        curl=lambda x: problem.curl_u(x) + d,
        divergence=lambda x: np.full(x.shape[1], 2.0),
    )
    assert errors["l2_error"] == pytest.approx(1.3, rel=1e-7)
    assert errors["l2_error_inside"] == pytest.approx(1.3 * math.sqrt(math.pi / 4), rel=1e-7)
    assert errors["l2_error_outside"] == pytest.approx(1.3 * math.sqrt(1 - math.pi / 4), rel=1e-7)
    assert errors["curl_error"] == pytest.approx(3, rel=1e-7)
    assert errors["hcurl_error"] == pytest.approx(math.hypot(3, 1.3), rel=1e-7)
    assert errors["div_norm"] == pytest.approx(2, rel=1e-7)


def test_what_is_not_known_is_none():
    errors = field_errors(nothing, problems.maxwell)
    assert errors["curl_error"] is errors["hcurl_error"] is errors["div_norm"] is None


def test_what_is_not_finite_is_none():
    errors = field_errors(lambda x: np.full(x.shape, np.nan), problems.maxwell)
    assert set(errors.values()) == {None}


@every_problem
def test_kinked_nets_move_little_when_the_rule_is_refined(problem):
    """An untrained 2-50 ReLU net; trained ones were measured at `DEFAULT`."""
    import torch

    field = net_field(mlp(2, 50, torch.nn.ReLU), problem)
    default = field_errors(field, problem)
    fine = field_errors(
        field, problem, rules=domain_rules(problem, Resolution(**DEFAULT).refined())
    )
    for key in PARTS:
        assert default[key] == pytest.approx(fine[key], rel=1e-4)


def test_kinked_curls_move_little_when_the_rule_is_refined():
    import torch

    field = net_field(mlp(2, 50, torch.nn.ReLU), problem := problems.maxwell)
    default = field_errors(field, problem, jacobian=field.jacobian)
    rules = domain_rules(problem, Resolution(order=4, angle=12, radius=8, height=8))
    fine = field_errors(field, problem, jacobian=field.jacobian, rules=rules)
    assert default["curl_error"] == pytest.approx(fine["curl_error"], rel=2e-3)
    assert default["div_norm"] == pytest.approx(fine["div_norm"], rel=2e-3)


# ---------------------------------------------------------------- finite elements by the same ruler


# element, its order, sizes n, and how near the two rulers are on singular fields
ALIKE = [
    ("N0", None, (1, 2, 3), 1e-6),
    ("N1", None, (1, 2, 3), 2e-6),
    ("hexN0", None, (1, 2, 4), 1e-6),
    ("hexP", 2, (1, 2, 3), 1e-6),
    ("hexP", 4, (1, 2), 1e-4),  # a tensor rule of order p does not resolve a corner: 7e-5
]


def two_rulers(problem, n, element, order):
    """l2 and H(curl) errors by the element's own quadrature and by the ruler's cut cells."""
    from fem import best_approximation

    solution = best_approximation(
        problem.u, problem.curl_u, n, element=element, order=order,
        singular_edge=problem.singular_edge,
    )  # fmt: skip
    rules = mesh_rules(problem, n, element, degree=9 if element.endswith("N0") else 12)
    errors = field_errors(solution, problem, curl=solution.curl, rules=rules)
    own = [solution.l2_error, solution.hcurl_error]
    return own, [errors["l2_error"], errors["hcurl_error"]], errors


@pytest.mark.parametrize(("element", "order", "sizes", "_"), ALIKE)
@pytest.mark.parametrize("name", ["maxwell", "helix"])
def test_finite_elements_are_measured_alike(name, element, order, sizes, _):
    """The element's own rule, which is what tables show, and the ruler of the nets: 1e-6."""
    for n in sizes:
        own, ruled, _errors = two_rulers(problems.get(name), n, element, order)
        assert own == pytest.approx(ruled, rel=1e-6)


@pytest.mark.parametrize(("element", "order", "_", "near"), ALIKE)
@pytest.mark.parametrize("name", ["screen", "curlsing"])
def test_singular_errors_are_measured_alike(name, element, order, _, near):
    own, ruled, _errors = two_rulers(problems.get(name), 2, element, order)
    assert own == pytest.approx(ruled, rel=near)


def test_the_split_of_an_error_is_converged():
    """Each part at the default degree against a finer rule."""
    from fem import best_approximation

    problem = problems.helix
    solution = best_approximation(problem.u, problem.curl_u, 2)
    default, fine = (
        field_errors(solution, problem, rules=mesh_rules(problem, 2, degree=d)) for d in (6, 9)
    )
    for key in PARTS:
        assert default[key] == pytest.approx(fine[key], rel=1e-6)


def test_polar_rules_do_not_resolve_finite_elements():
    """The stated limit of `domain_rules`: measured 1.4e-3 at n = 2, growing to 7e-2 at n = 8."""
    from fem import best_approximation

    problem = problems.maxwell
    solution = best_approximation(problem.u, problem.curl_u, 2)
    polar = field_errors(solution, problem)["l2_error"]
    assert 5e-4 < abs(polar / solution.l2_error - 1) < 3e-3


def test_gauss_points_of_each_mesh():
    """The paper's way, E3: for a field that knows no mesh the value settles as n grows."""
    problem = problems.helix
    exact = field_errors(nothing, problem)["l2_error"]
    tables = [tabulated_mesh(problem, ("x",), n) for n in (1, 2, 4)]
    deviations = [abs(table.l2_error(0 * table.u) - exact) for table in tables]
    assert deviations[0] > 1e-5
    assert deviations[2] < 1e-6


@every_problem
def test_tabulated_rules_are_the_same_ruler(problem):
    """Points, inputs and u kept for the next net: the same number, to rounding."""
    features = ("x", "phi")

    def field(x):
        return np.tanh(problem.inputs(x, features)[:, :3].T + 0.3)

    def by_table(table):
        return table.l2_error(np.tanh(table.inputs[:, :3] + 0.3))

    whole = field_errors(field, problem)["l2_error"]
    assert by_table(tabulated_domain(problem, features)) == pytest.approx(whole, rel=1e-12)
    on_mesh = l2_norm(lambda x: problem.u(x) - field(x), gauss_rule(problem, 3))
    assert by_table(tabulated_mesh(problem, features, 3)) == pytest.approx(on_mesh, rel=1e-12)


def test_unknown_element():
    with pytest.raises(UserError, match="unknown element"):
        mesh_rules(problems.maxwell, 2, "P7")


# ---------------------------------------------------------------- nets as fields


def differences(field, x, step):
    """[i, j] = ∂_j of component i by sixth-order central differences of the whole composition."""
    columns = []
    for axis in np.eye(3)[:, :, None]:
        odd = [field(x + m * step * axis) - field(x - m * step * axis) for m in (1, 2, 3)]
        columns.append((45 * odd[0] - 9 * odd[1] + odd[2]) / (60 * step))
    return np.stack(columns, axis=1)


@every_problem
@pytest.mark.parametrize("features", [("x", "f", "phi"), ("x", "phi"), ("x",), ("phi", "f")])
def test_jacobian_is_the_total_derivative(problem, features):
    """Through f(x) and φ(x) too, also near a singular edge."""
    import torch

    x = problem.sample_cylinder(200, seed=0)
    inputs = problem.inputs(x, features).shape[1]
    field = net_field(mlp(2, 20, torch.nn.Tanh, inputs), problem, features)
    step = 5e-4 * np.hypot(x[0] - 1, x[1])  # to the edge, whether singular or not
    expected = differences(field, x, step)
    np.testing.assert_allclose(field.jacobian(x), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(field.curl(x), curl_of(expected), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(field.divergence(x), np.trace(expected), rtol=1e-7, atol=1e-8)


def test_net_field_keeps_the_shape_of_its_points():
    import torch

    field = net_field(mlp(1, 5, torch.nn.ReLU).float(), problems.maxwell)
    x = problems.maxwell.sample_cylinder(6, seed=0)
    grid = x.reshape(3, 2, 3)
    assert field(grid).dtype == np.float64
    np.testing.assert_array_equal(field(grid), field(x).reshape(3, 2, 3))
    np.testing.assert_array_equal(field.jacobian(grid), field.jacobian(x).reshape(3, 3, 2, 3))
    assert field.divergence(grid).shape == (2, 3)


def test_net_errors_have_every_number():
    import torch

    errors = net_errors(mlp(2, 10, torch.nn.ReLU), problems.maxwell)
    assert all(isinstance(value, float) for value in errors.values())


def test_net_shown_an_unbounded_f_has_no_curl_error():
    """f ∼ R^{−½} makes the net's curl ∼ R^{−3/2}: not square-integrable, hence no number."""
    import torch

    problem = problems.curlsing
    assert net_errors(mlp(1, 10, torch.nn.ReLU), problem)["curl_error"] is None
    plain = net_errors(mlp(1, 10, torch.nn.ReLU, inputs=4), problem, ("x", "phi"))
    assert plain["curl_error"] > 0


def test_relative_test_error():
    target = np.array([[3.0, 0.0, 4.0]])
    assert relative_test_error(np.array([[3.0, 1.0, 4.0]]), target) == pytest.approx(0.2)
    with pytest.raises(UserError, match="differ in shape"):
        relative_test_error(target, target.T)


def test_the_ruler_needs_no_torch():
    """Nets are measured if there are any; finite elements never wait for torch to load."""
    code = "import sys, bench.measure.net_fields; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
