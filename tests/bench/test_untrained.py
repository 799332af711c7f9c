"""Random features given an equation: an independent solve, the choice of the scale, the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import femnets
from base.errors import UserError
from bench import problems
from bench.measure.norms import field_errors
from bench.methods.collocation.clouds import inside_cloud, rim_cloud
from bench.methods.untrained.configuration import UntrainedConfig
from bench.methods.untrained.edge import BOUNDED, UNBOUNDED, cells_of, plan_of, rule_of, solved
from bench.methods.untrained.equation import terms
from bench.methods.untrained.scales import indicator, searched
from bench.methods.untrained.solving import attempted, solve_untrained
from fem.rules.quadrature import integrate
from femnets.cli import invoke

FLAGS = ["train", "--track", "solve", "--net", "random-features"]


def curl(D):
    return torch.stack([D[2][1] - D[1][2], D[0][2] - D[2][0], D[1][0] - D[0][1]])


def test_it_equals_a_dense_solve_of_rows_by_autograd():
    """curl(φ curl ψe_i)/φ differentiated as written, every row by hand, NumPy's least squares."""
    problem, K = problems.get("maxwell"), 8
    config = UntrainedConfig(problem="maxwell", features=K, points=40, boundary_points=30)
    made = attempted(config, problem, 3.0)
    inside = inside_cloud(problem, 40, 0, "quasi")
    rim = rim_cloud(problem, 30, 0, "quasi")
    W, b = map(torch.from_numpy, (made.features.W, made.features.b))

    def columns(x, wanted):
        """Rows (…, 3K) of an operator on all fields ψ_k e_i."""
        out = []
        for i in range(3):
            for k in range(K):
                x = torch.as_tensor(x).requires_grad_()
                u = [torch.zeros(x.shape[1]).double() for _ in range(3)]
                u[i] = torch.tanh(W[k] @ x + b[k])
                out.append(wanted(x, u))
        return np.stack([part.detach().numpy().ravel() for part in out], axis=1)

    def slopes(x, u):
        zero = torch.zeros_like(x)
        return [
            torch.autograd.grad(c.sum(), x, create_graph=True)[0] if c.requires_grad else zero
            for c in u
        ]

    def phi(x):  # maxwell's
        return (1 + x[0] ** 2 + x[1] ** 2) / 2

    points = inside.x
    assert phi(points) == pytest.approx(problem.phi(points))
    equation = columns(
        points, lambda x, u: curl(slopes(x, list(phi(x) * curl(slopes(x, u))))) / phi(x)
    )
    divergence = columns(points, lambda x, u: sum(slopes(x, u)[i][i] for i in range(3)))
    n = torch.from_numpy(rim.normal)
    trace = columns(rim.x, lambda x, u: torch.linalg.cross(torch.stack(u), n, dim=0))
    g = np.cross(problem.u(rim.x), rim.normal, axis=0)
    root, edge = 40**-0.5, (900 / 30) ** 0.5
    matrix = np.concatenate([equation * root, divergence * root, trace * edge])
    right = np.concatenate(
        [(problem.f(points) / problem.phi(points)).ravel() * root, np.zeros(40), g.ravel() * edge]
    )
    expected, *_ = np.linalg.lstsq(matrix, right)
    assert made.weights.ravel() == pytest.approx(expected, rel=1e-7)


class TestScale:
    def test_the_search_goes_on_while_the_indicator_falls(self):
        tried = searched(lambda s: (abs(np.log(s / 3.0)), s), 1.0, 9)
        assert min(tried.values())[1] == pytest.approx(1.5**3)
        assert min(tried) == pytest.approx(1 / 1.5)

    def test_the_number_of_solves_is_limited(self):
        assert len(searched(lambda s: (1 / s, s), 1.0, 4)) == 4

    def test_rounding_and_residual_both_count(self):
        assert indicator(8.0, 0.0) == pytest.approx(1e-2)
        assert indicator(0.0, 1e16) == pytest.approx(0.22 * 2.22, rel=1e-2)
        assert indicator(np.nan, 1.0) == np.inf

    def test_it_is_chosen_by_the_indicator_and_the_cost_is_counted(self):
        values = solve_untrained({"problem": "helix", "features": 40}).values
        best = min(values["scales_tried"], key=values["scales_tried"].get)
        assert float(best) == pytest.approx(values["scale"], rel=1e-3)
        assert values["evaluations"] == len(values["scales_tried"]) >= 3
        assert 0 < values["seconds_tuning"] < values["seconds"]


def test_more_features_are_better_and_results_repeat():
    few, many, again = (
        solve_untrained({"features": K, "scale": "0.25", "seed": 5}).values["l2_error"]
        for K in (30, 90, 90)
    )
    assert many < 0.02 * few
    assert many == again


def test_natural_faces_are_imposed():
    """On the prism a smooth field: the gradient of a harmonic polynomial, caps natural."""
    problem = problems.get("reentrant")
    rows = terms(problem, 20, 60, 0, "quasi", 100.0, 0)
    labels = {label for term in rows for label in term.labels}
    assert labels == {"equation", "divergence", "boundary", "natural"}


class TestEdge:
    def test_bounded_or_not_is_read_off_the_data(self):
        plans = {name: plan_of(problems.get(name)) for name in ("curlsing", "screen", "reentrant")}
        assert plans == {"curlsing": BOUNDED, "screen": UNBOUNDED, "reentrant": UNBOUNDED}

    @pytest.mark.parametrize(("problem", "quarters"), [("screen", 1), ("reentrant3d", 3)])
    def test_the_rule_of_the_norms_goes_down_to_the_last_windows(self, problem, quarters):
        rule, edge = rule_of(problems.get(problem)), problems.get(problem).singular_edge
        inverse = integrate(lambda x: 1 / np.hypot(x[0] - edge[0], x[1] - edge[1]), rule)
        assert inverse == pytest.approx(quarters * 2 * np.arcsinh(1.0), rel=1e-7)
        assert np.hypot(rule.points[0] - edge[0], rule.points[1] - edge[1]).min() < 1e-14

    @pytest.mark.parametrize(
        ("problem", "error", "curl_error"),
        [("curlsing", 3e-5, 1e-3), ("screen", 1e-2, 3e-2)],
    )
    def test_fields_that_are_singular_at_every_depth_are_reached(self, problem, error, curl_error):
        """A uniform mesh of as many unknowns has errors of 1e-2 to 1 and curl errors above 0.1."""
        given = problems.get(problem)
        net = solved(cells_of(given, 70, None, "tanh", 900.0, (0, 0)))
        found = field_errors(net, given, jacobian=net.jacobian, rules={"whole": rule_of(given)})
        assert found["l2_error"] < error
        assert found["curl_error"] < curl_error


class TestCommand:
    @pytest.mark.parametrize(("problem", "K"), [("maxwell", 40), ("curlsing", 30)])
    def test_a_saved_file_is_measured_as_it_was(self, tmp_path, capsys, problem, K):
        path = tmp_path / "net.safetensors"
        flags = [*FLAGS, "--problem", problem, "--features", str(K), "--scale", "0.3", "--json"]
        assert invoke([*flags, "--save", str(path)]) == 0
        solved = json.loads(capsys.readouterr().out)
        assert invoke(["evaluate", str(path), "--json"]) == 0
        again = json.loads(capsys.readouterr().out)
        for name in ("l2_error", "curl_error", "parameters", "residual"):
            assert again[name] == pytest.approx(solved[name], rel=1e-9)
        assert solved["config"]["features"] == K
        assert {"train_mse", "tau", "J", "seconds", "evaluations", "diverged"} <= set(solved)

    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--scale", "wide"], "positive number or auto, got 'wide'"),
            (["--scale", "-1"], "positive number or auto"),
            (["--features", "x,f"], "features of a training must be of type int"),
            (["--steps", "3"], "--steps does not go with --net random-features"),
            (["--seconds", "3"], "leave out --seconds"),
            (["--problem", "screen", "--points", "99"], "follow from --features"),
            (["--features", "9000000"], "use fewer --features"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, capsys, flags, words):
        assert invoke([*FLAGS, *flags]) == 2
        assert words in capsys.readouterr().err

    def test_it_needs_an_equation(self, capsys):
        assert invoke(["train", "--net", "random-features"]) == 2
        assert "use --track solve" in capsys.readouterr().err


def test_it_is_called_from_python():
    found = femnets.random_features("maxwell", features=30, scale=0.3)
    x = np.full((3, 1), 0.5)
    assert found.field(x) == pytest.approx(problems.get("maxwell").u(x), abs=1e-3)


def test_the_method_has_one_name():
    with pytest.raises(UserError, match="random-features"):
        UntrainedConfig(net="resnet")
