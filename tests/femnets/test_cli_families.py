"""Surrogates on the command line and from Python."""

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


def test_a_training_measures_errors_and_costs(cli):
    values = cli.json("train", "--track", "family", *SMALL)
    assert 0 < values["error_median"] <= values["error_worst"] < 0.1
    assert values["seconds_offline"] > values["seconds_functional"] > 0
    assert values["config"]["track"] == "family"


def test_a_saved_surrogate_is_asked_and_drawn(saved, tmp_path, cli):
    vtu = tmp_path / "field.vtu"
    values = cli.json("evaluate", saved, "--mu", "3,0.4", "--vtu", vtu)
    assert values["mu"] == [3.0, 0.4]
    assert values["outside"] == 0
    assert values["energy_bound"] > values["l2_bound"] > 0
    assert b"u_h" in vtu.read_bytes()
    found = femnets.surrogate(saved)
    assert values["mean"] == pytest.approx(found.mean(np.array([3.0, 0.4])))
    assert found([3.0, 0.4])(np.full((3, 2, 2), 0.5)).shape == (3, 2, 2)
    assert cli.json("evaluate", saved)["error_worst"] < 0.1


def test_outside_the_range_there_is_a_warning_with_the_distance(saved, cli):
    said = cli("evaluate", saved, "--mu", "300,0.4").err
    assert "2.8 half-widths outside the trained range" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mu", "3"), "needs 2 finite values of μ (a, c1), got [3.0]"),
        (("--mu", "3,nan"), "needs 2 finite values"),
        (("--mu", "three"), "--mu needs numbers"),
        (("--vtu", "field.vtu"), "give it with --mu"),
    ],
)
def test_bad_questions_end_in_one_line(saved, cli, arguments, message):
    cli.refuses(message, "evaluate", saved, *arguments)


def test_damaged_files_and_wrong_options_end_in_one_line(saved, tmp_path, cli):
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
        cli.refuses("", *arguments)
