"""femnets train --track solve: given an equation, measured by the same norms; refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from bench.cells import Cell
from bench.cells.solved_net import Config
from bench.measure import norms
from bench.measure.net_fields import net_field
from bench.methods.solving import SolvedField, evaluated, solve_net, starting_net
from bench.methods.training import FIGURES
from femnets.cli import invoke
from nets.residuals.values import jets

SMALL = {"width": 6, "points": 60, "boundary_points": 40, "evaluations": 60.0}
FLAGS = ["--track", "solve", "--width", "6", "--points", "60", "--boundary-points", "40"]


def femnets(*arguments, code=0):
    assert invoke([str(argument) for argument in arguments]) == code


@pytest.fixture(scope="module")
def solved():
    return solve_net({"problem": "helix", **SMALL})


class TestSolvedNet:
    def test_it_has_the_figures_of_a_fit_and_the_parts_of_its_loss(self, solved):
        values = solved.values
        assert set(FIGURES) <= set(values)
        assert values["train_mse"] is None
        assert values["rel_test_error"] is None
        assert set(values["residual"]) == {"equation", "divergence", "boundary"}
        assert sum(values["residual"].values()) == pytest.approx(values["J"], rel=1e-6)
        assert values["residuals"] == 4 * 60 + 2 * 40
        assert values["evaluations"] == 60

    def test_it_learns_from_the_equation_alone(self, solved):
        errors = solved.arrays["curve_l2_error"]
        assert errors[-1] < 0.3 * errors[0]
        assert errors[-1] == pytest.approx(solved.values["l2_error"], rel=1e-6)

    def test_the_ruler_agrees_with_the_module_itself(self, solved):
        """The net of x is a plain net: values by torch, derivatives by autograd."""
        field = net_field(solved.net, solved.collocation.problem, ("x",))
        direct = norms.field_errors(field, solved.collocation.problem, jacobian=field.jacobian)
        for name in ("l2_error", "curl_error", "div_norm"):
            assert solved.values[name] == pytest.approx(direct[name], rel=1e-8)

    def test_gradient_norms_and_tau_are_in_its_history(self, solved):
        assert solved.arrays["history_grad_W"].shape[1] == 3
        assert solved.arrays["history_tau"].shape[1] == 2

    def test_it_repeats(self, solved):
        again = solve_net({"problem": "helix", **SMALL})
        assert again.values["l2_error"] == solved.values["l2_error"]
        assert again.values["J"] == solved.values["J"]

    def test_seeds_move_the_start_and_the_points(self, solved):
        moved = starting_net(Config(seed=1)).pack()
        assert not np.array_equal(moved, starting_net(Config()).pack())
        other = solve_net({"problem": "helix", **SMALL, "data_seed": 1})
        assert other.values["J"] != solved.values["J"]

    @pytest.mark.parametrize(
        "settings",
        [
            {"form": "weak", "activation": "smoothrelu", "eta": 1.0},
            {"form": "first-order", "activation": "smoothrelu", "eta": 1.0},
            {"boundary": "exact"},
            {"optimizer": "lm", "evaluations": 20.0},
            {"optimizer": "adam", "rate": 1e-2},
            {"net": "fractional", "draw": "random"},
        ],
        ids=lambda settings: " ".join(map(str, settings.values())),
    )
    def test_every_form_boundary_and_optimiser_lowers_the_loss(self, settings):
        found = solve_net({"problem": "helix", **SMALL, **settings})
        J = found.arrays["curve_J"]
        assert J[-1] < 0.5 * J[0]
        assert found.values["l2_error"] < found.arrays["curve_l2_error"][0]

    def test_new_points_come_in_rounds(self):
        found = solve_net({"problem": "maxwell", **SMALL, "resample": 25})
        assert found.values["evaluations"] == 60
        evaluations = found.arrays["curve_evaluations"]
        assert np.all(np.diff(evaluations) >= 0)
        assert found.arrays["history_seconds"][-1] <= found.values["seconds"] + 1e-9

    def test_values_of_a_field_with_values_built_in(self):
        found = solve_net({"problem": "helix", **SMALL, "boundary": "exact", "evaluations": 5.0})
        field = found.collocation.field(found.net)
        rim = problems.get("helix").domain.sample_boundary(50, 0)
        wrong = np.cross(field(rim.x) - problems.get("helix").u(rim.x), rim.normal, axis=0)
        assert np.abs(wrong).max() < 1e-9
        x, step = np.full((3, 1), 0.4), np.array([[1e-5], [0.0], [0.0]])
        slope = (field(x + step) - field(x - step)) / 2e-5
        np.testing.assert_allclose(field.jacobian(x)[:, 0], slope, atol=1e-6)


def test_a_field_is_the_first_three_outputs():
    net = starting_net(Config(form="first-order", width=4))
    x = np.random.default_rng(0).random((3, 5))
    np.testing.assert_array_equal(SolvedField(net)(x), jets(net, x.T, "value")[0, :3])


class TestCommand:
    def test_json_save_and_evaluate(self, tmp_path, capsys):
        path = tmp_path / "net.safetensors"
        femnets("train", *FLAGS, "--problem", "helix", "--steps", 8, "--save", path, "--json")
        values = json.loads(capsys.readouterr().out)
        assert values["steps"] == 8
        assert values["config"]["track"] == "solve"
        femnets("evaluate", path, "--json")
        again = json.loads(capsys.readouterr().out)
        for name in ("l2_error", "curl_error", "u3_min"):
            assert again[name] == pytest.approx(values[name], rel=1e-12)
        assert again["residual"] == pytest.approx(values["residual"], rel=1e-9)
        femnets("prune", path, code=2)
        assert "trained without samples" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("flags", "said"),
        [
            (["--activation", "smoothrelu"], "needs an activation with 2 continuous derivatives"),
            (["--boundary", "exact", "--problem", "screen"], "use --boundary penalty"),
            (["--boundary", "strict"], "penalty or exact"),
            (["--form", "wek"], "did you mean 'weak'"),
            (
                ["--samples", "100"],
                "--samples does not go with --track solve; leave it out or use --track fit",
            ),
            (["--draw", "lattice"], "random or quasi"),
            (["--track", "sove"], "did you mean 'solve'"),
        ],
    )
    def test_what_cannot_be_is_said_in_one_line(self, flags, said, capsys):
        femnets("train", *FLAGS, *flags, "--steps", 2, code=2)
        error = capsys.readouterr().err.strip()
        assert said in error
        assert len(error.splitlines()) == 1

    def test_too_few_points_and_too_much_memory(self, capsys, monkeypatch):
        femnets("train", "--track", "solve", "--points", 3, "--steps", 2, code=2)
        assert "too few" in capsys.readouterr().err
        monkeypatch.setattr("fem.memory.limit_bytes", lambda: 1000)
        femnets("train", *FLAGS, "--steps", 2, code=2)
        assert "take fewer points" in capsys.readouterr().err

    def test_options_of_the_equation_do_not_belong_to_a_fit(self, capsys):
        femnets("train", "--form", "weak", "--steps", 2, code=2)
        assert (
            "--form does not go with --track fit; leave it out or use --track solve"
            in capsys.readouterr().err
        )


def test_a_cell_needs_a_limit_that_repeats():
    from bench.cells import solved_net

    with pytest.raises(UserError, match="steps or evaluations"):
        solved_net.run(Config())
    cell = Cell("solved_net", {"problem": "helix", "evaluations": 5.0})
    assert cell.config["form"] == "strong"


def test_evaluating_needs_no_training(solved):
    found = evaluated(solved.net, Config(problem="helix", points=60, boundary_points=40))
    assert found["l2_error"] == pytest.approx(solved.values["l2_error"], rel=1e-12)
