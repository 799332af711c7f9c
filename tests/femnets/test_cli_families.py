"""Surrogates on the command line and from Python."""

import json

import numpy as np
import pytest

import femnets
from femnets.cli import invoke

SMALL = ("--order", "4", "--snapshots", "9", "--queries", "3", "--reference", "6", "--tol", "1e-2")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("surrogates") / "s.safetensors"
    options = ("--track", "family", "--method", "chebyshev", "--save", str(path))
    assert invoke(["train", *options, *SMALL]) == 0
    return path


def run(capsys, *arguments):
    code = invoke([*arguments])
    return code, capsys.readouterr()


def test_a_training_measures_errors_and_costs(capsys):
    code, text = run(capsys, "train", "--track", "family", *SMALL, "--json")
    values = json.loads(text.out)
    assert code == 0
    assert 0 < values["error_median"] <= values["error_worst"] < 0.1
    assert values["seconds_offline"] > values["seconds_functional"] > 0
    assert values["config"]["track"] == "family"


def test_a_saved_surrogate_is_asked_and_drawn(saved, tmp_path, capsys):
    vtu = tmp_path / "field.vtu"
    code, text = run(capsys, "evaluate", str(saved), "--mu", "3,0.4", "--vtu", str(vtu), "--json")
    values = json.loads(text.out)
    assert code == 0
    assert values["mu"] == [3.0, 0.4]
    assert values["outside"] == 0
    assert values["energy_bound"] > values["l2_bound"] > 0
    assert b"u_h" in vtu.read_bytes()
    found = femnets.surrogate(saved)
    assert values["mean"] == pytest.approx(found.mean(np.array([3.0, 0.4])))
    assert found([3.0, 0.4])(np.full((3, 2, 2), 0.5)).shape == (3, 2, 2)
    assert json.loads(run(capsys, "evaluate", str(saved), "--json")[1].out)["error_worst"] < 0.1


def test_outside_the_range_there_is_a_warning_with_the_distance(saved, capsys):
    code, text = run(capsys, "evaluate", str(saved), "--mu", "300,0.4")
    assert code == 0
    assert "2.8 half-widths outside the trained range" in text.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mu", "3"), "needs 2 finite values of μ (a, c1), got [3.0]"),
        (("--mu", "3,nan"), "needs 2 finite values"),
        (("--mu", "three"), "--mu needs numbers"),
        (("--vtu", "field.vtu"), "give it with --mu"),
    ],
)
def test_bad_questions_end_in_one_line(saved, capsys, arguments, message):
    code, text = run(capsys, "evaluate", str(saved), *arguments)
    assert code == 2
    assert message in text.err
    assert text.err.count("\n") == 1


def test_damaged_files_and_wrong_options_end_in_one_line(saved, tmp_path, capsys):
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(saved.read_bytes()[:-100])
    for arguments in (
        ("evaluate", str(damaged), "--mu", "1,0.5"),
        ("evaluate", str(damaged)),
        ("train", "--track", "family", "--samples", "4"),
        ("train", "--track", "family", "--method", "kernel", *SMALL, "--snapshots", "3"),
        ("train", "--track", "family", "--family", "nothing"),
        ("train", "--track", "family", "--dimension", "3"),
        ("train", "--track", "family", "--seconds", "3"),
        ("train", "--snapshots", "4"),
    ):
        code, text = run(capsys, *arguments)
        assert code == 2, arguments
        assert text.err.count("\n") == 1, arguments
