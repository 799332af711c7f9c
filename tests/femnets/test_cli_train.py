"""femnets train, evaluate, prune: the figures promised, and nothing else on stdout."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch

from bench import problems
from bench.core.guards.signals import Asked
from bench.core.threads import thread_environment
from bench.methods.configurations import TrainingConfig
from bench.methods.training import starting_net, train_net, training_data
from nets.training.loop import Progress
from nets.training.progress import TrainingProgress

PROMISED = {
    "train_mse",
    "rel_test_error",
    "l2_error",
    "l2_error_inside",
    "l2_error_outside",
    "tau",
    "u3_min",
    "u3_max",
    "curl_error",
    "div_norm",
    "seconds",
    "evaluations",
    "steps",
    "diverged",
}
SMALL = ["--hidden", "2", "--width", "5", "--samples", "300", "--steps", "5"]


@pytest.fixture
def saved(tmp_path, cli):
    """A small trained net in a file, and its figures."""
    path = tmp_path / "net.safetensors"
    return path, cli.json("train", *SMALL, "--data-seed", 4, "--save", path)


class TestTrain:
    def test_json_has_what_the_contract_promises(self, cli):
        values = cli.json("train", *SMALL)
        assert set(values) >= PROMISED
        assert values["steps"] == 5
        assert len(values["tau"]) == 2
        assert values["l2_error"] ** 2 == pytest.approx(
            values["l2_error_inside"] ** 2 + values["l2_error_outside"] ** 2
        )
        assert values["config"]["hidden"] == 2
        out = cli("train", *SMALL).out
        assert "rel_test_error" in out
        assert "{" not in out

    def test_the_seed_moves_the_start_and_the_data_seed_the_points(self):
        base = TrainingConfig(hidden=1, width=4, samples=50)
        moved = TrainingConfig(hidden=1, width=4, samples=50, seed=1)
        other = TrainingConfig(hidden=1, width=4, samples=50, data_seed=1)
        assert np.array_equal(training_data(base).x, training_data(moved).x)
        assert not np.array_equal(starting_net(base).pack(), starting_net(moved).pack())
        assert not np.array_equal(training_data(base).x, training_data(other).x)
        assert not np.array_equal(training_data(base).x_test, training_data(other).x_test)
        assert np.array_equal(starting_net(base).pack(), starting_net(other).pack())
        assert training_data(base).x_test.shape == (12_000, 7)
        assert not np.isin(training_data(base).x_test[:, 0], training_data(base).x[:, 0]).any()

    def test_a_smaller_radius_holds_out_a_ring(self):
        config = TrainingConfig(hidden=1, width=4, samples=200, radius=0.5, steps=0)
        data = training_data(config)
        assert np.hypot(data.x[:, 0], data.x[:, 1]).max() <= 0.5
        assert data.held_out.mean() == pytest.approx(0.75, abs=0.02)
        trained = train_net(config)
        ring = training_data(TrainingConfig(hidden=1, width=4, samples=200, steps=0))
        prediction = trained.net(torch.from_numpy(ring.x_test)).detach().numpy()
        outside = np.hypot(ring.x_test[:, 0], ring.x_test[:, 1]) > 0.5
        error = np.linalg.norm(prediction[outside] - ring.y_test[outside])
        expected = error / np.linalg.norm(ring.y_test[outside])
        assert trained.values["ring_error"] == pytest.approx(expected)

    def test_figures_by_hand(self):
        """Each figure again from its definition, for an untrained net."""
        config = TrainingConfig(hidden=1, width=4, samples=200, steps=0)
        trained = train_net(config)
        data, net, values = training_data(config), trained.net, trained.values
        with torch.no_grad():
            train = net(torch.from_numpy(data.x)).numpy()
            test = net(torch.from_numpy(data.x_test)).numpy()
        assert values["train_mse"] == pytest.approx(np.sum((train - data.y) ** 2) / 400)
        expected = np.linalg.norm(test - data.y_test) / np.linalg.norm(data.y_test)
        assert values["rel_test_error"] == pytest.approx(expected)
        assert values["u3_min"] == pytest.approx(test[:, 2].min())
        assert values["u3_max"] == pytest.approx(test[:, 2].max())
        points = np.random.default_rng(0).random((3, 200_000))
        field = net(torch.from_numpy(problems.maxwell.inputs(points))).detach().numpy().T
        squares = np.sum((field - problems.maxwell.u(points)) ** 2, axis=0)
        assert values["l2_error"] == pytest.approx(np.sqrt(squares.mean()), rel=0.02)
        assert trained.arrays["curve_l2_error"][-1] == pytest.approx(values["l2_error"], rel=1e-9)

    def test_features_can_be_left_out(self, cli):
        assert (
            cli.json("train", *SMALL, "--features", "x,phi")["parameters"]
            == 4 * 5 + 5 + 25 + 5 + 15 + 2
        )

    def test_the_same_command_gives_the_same_numbers(self, cli):
        numbers = []
        for _ in range(2):
            values = cli.json("train", *SMALL, "--net", "fractional")
            numbers.append({k: v for k, v in values.items() if k != "seconds"})
        assert numbers[0] == numbers[1]

    def test_a_diverged_run_has_nulls_and_no_nan(self, cli):
        values = cli.json("train", *SMALL, "--net", "densenet", "--scale", "1e200")
        assert values["diverged"] is True
        assert values["rel_test_error"] is None
        assert values["l2_error"] is None

    def test_history_and_curve_can_be_written(self, tmp_path, cli):
        path = tmp_path / "history.npz"
        cli("train", *SMALL, "--history", path)
        arrays = np.load(path)
        assert arrays["history_J"].shape == (6,)
        assert {"curve_evaluations", "curve_seconds", "curve_rel_test_error"} <= set(arrays)
        assert list(tmp_path.iterdir()) == [path]

    def test_ctrl_c_still_answers_with_the_best_state_and_exits_130(self, cli, monkeypatch):
        def interrupt(self, progress):
            raise KeyboardInterrupt

        monkeypatch.setattr(TrainingProgress, "__call__", interrupt)
        limits = ["--hidden", "2", "--width", "5", "--samples", "300", "--seconds", "60"]
        values = cli.json("train", *limits, code=130)
        assert values["reason"] == "interrupted"
        assert values["steps"] > 0
        assert values["rel_test_error"] < 1

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (["--net", "resnt"], "resnet"),
            (["--optimizer", "bfgs"], "lbfgs"),
            (["--tau0", "half"], "tau0 must be"),
            (["--gamma", "1.5", "--net", "fractional"], "gamma"),
            (["--problem", "maxwel"], "maxwell"),
            (["--features", "x,rho"], "rho"),
            (["--schedule", "cosine", "--optimizer", "adam", "--seconds", "1"], "--steps"),
            (["--memory", "5", "--optimizer", "adam"], "memory"),
            (["--precision", "float16"], "float16"),
            (["--radius", "1.5"], "--radius"),
            (["--save", "net.pt"], ".safetensors"),
            (["--save", "nowhere/net.safetensors"], "nowhere"),
        ],
    )
    def test_bad_input_is_one_line(self, arguments, word, cli):
        few = ("--hidden", "1", "--width", "3", "--samples", "20")
        cli.refuses(word, "train", *few, *arguments)


def test_tau0_has_one_grammar():
    """As `femnets gradients` reads it, tests/femnets/test_gradients_cli.py."""
    for tau0, steps in (("2/H", [1.0, 1.0]), ("0.2", [0.2, 0.2]), ("1,0.5", [1.0, 0.5])):
        assert starting_net(TrainingConfig(hidden=2, width=3, tau0=tau0)).tau.tolist() == steps


class TestEvaluate:
    def test_repeats_the_figures_of_the_training(self, saved, cli):
        path, trained = saved
        values = cli.json("evaluate", path)
        for name in PROMISED - {"seconds", "evaluations", "steps", "diverged"}:
            assert values[name] == pytest.approx(trained[name], rel=1e-12)

    def test_on_another_field(self, saved, cli):
        path, trained = saved
        assert (
            cli.json("evaluate", path, "--problem", "helix")["rel_test_error"]
            > trained["rel_test_error"]
        )

    def test_a_missing_or_foreign_file_is_one_line(self, tmp_path, cli):
        foreign = tmp_path / "foreign.safetensors"
        foreign.write_bytes(b"not a net")
        for path in (tmp_path / "none.safetensors", foreign):
            cli.refuses("", "evaluate", path)


class TestPrune:
    def test_says_what_goes_and_the_errors_of_the_three_stages(self, saved, tmp_path, cli):
        path, trained = saved
        smaller = tmp_path / "smaller.safetensors"
        values = cli.json("prune", path, "--below", "10", "--measure", "tau", "--save", smaller)
        assert values["deleted"] == [1]
        assert values["hidden"] == 1
        assert values["rel_test_error_before"] == pytest.approx(trained["rel_test_error"])
        assert values["rel_test_error_resolved"] < values["rel_test_error_after"]
        assert cli.json("evaluate", smaller)["rel_test_error"] == pytest.approx(
            values["rel_test_error_resolved"]
        )

    def test_nothing_redundant_changes_nothing(self, saved, cli):
        path, _ = saved
        values = cli.json("prune", path, "--below", "0")
        assert values["deleted"] == []
        assert values["l2_error_after"] == values["l2_error_before"]

    def test_refuses_with_the_reason(self, tmp_path, cli):
        path = tmp_path / "dense.safetensors"
        cli("train", *SMALL, "--net", "densenet", "--save", path)
        cli.refuses("includes the deleted one", "prune", path)


class Terminal(io.StringIO):
    def isatty(self):
        return True


STATE = Progress(120, 130.0, 12.0, 1.25e-4, 0.4, {"rel_test_error": 2e-2})


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_progress_is_one_line_that_rewrites_itself_or_rare_lines(stream):
    with TrainingProgress(stream) as progress:
        progress(STATE)
        progress(STATE)
    text = stream.getvalue()
    for words in ("J 1.25e-04", "rel_test_error 2.0e-02", "18 s left"):
        assert words in text
    assert ("\r" in text, text.count("\n")) == ((True, 0) if stream.isatty() else (False, 1))
    assert text[-1] in "\r\n"


def test_numpy_computes_with_as_many_threads_as_asked(tmp_path):
    """NumPy is loaded before the options are known: its library has to be set afterwards."""
    code = (
        "import numpy, sys; from femnets.cli._shared import use_threads; use_threads(1);"
        "from threadpoolctl import threadpool_info;"
        "print(max(pool['num_threads'] for pool in threadpool_info()))"
    )
    several = dict.fromkeys(thread_environment(2), "2")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | several,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_or_after_the_training_gives_its_exit_code(monkeypatch, cli, number, code):
    def asked(*_, **__):
        raise Asked(number)

    monkeypatch.setattr("bench.methods.training.train_net", asked)
    out, err = cli("train", *SMALL, code=code)
    word = {130: "interrupted", 143: "terminated"}[code]
    assert not out
    assert err.startswith(f"{word}; the same command")


def test_a_signal_that_finds_nothing_begun_ends_the_command():
    script = (
        "import os, signal; from bench.core.guards import signals; signals.install()\n"
        "with signals.ending_well(lambda: False): os.kill(os.getpid(), signal.SIGTERM)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, "terminated; the same command starts again\n")
