"""`femnets certify`, `fem --certify`, `train --until-certified`: output and exit codes."""

import json
import re

import pytest

from femnets import cli

TRAIN = ("train", "--track", "solve", "--width", "8", "--evaluations", "60")


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    path = tmp_path_factory.mktemp("nets") / "net.safetensors"
    assert cli.invoke([*TRAIN, "--save", str(path), "--json"]) == 0
    return str(path)


def test_certify_prints_bounds_and_json(net, capsys):
    assert cli.invoke(["certify", net]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^l2_bound +\d", said, re.MULTILINE)
    assert re.search(r"^certified +True$", said, re.MULTILINE)
    assert "C_M value 0.2251, tag exact" in said
    assert cli.invoke(["certify", net, "--method", "own", "--norm", "energy", "--json"]) in (0, 1)
    values = json.loads(capsys.readouterr().out)
    keys = {"l2_bound", "l2_lower_bound", "relative_l2_bound", "energy_bound"}
    assert keys | {"energy_lower_bound", "certified", "reason", "seconds"} <= values.keys()
    assert values["l2_lower_bound"] is None
    assert values["method"] == "own"


def test_certify_refuses_a_field_that_is_wrong(net, capsys):
    assert cli.invoke(["certify", net, "--problem", "reentrant"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"^certified +False\nreason +the bound", said, re.MULTILINE)


def test_nets_that_were_given_samples_are_certified_by_a_reference(tmp_path, capsys):
    path = str(tmp_path / "fit.safetensors")
    small = ("--hidden", "1", "--width", "5", "--samples", "200", "--steps", "60")
    assert cli.invoke(["train", *small, "--save", path, "--json"]) == 0
    capsys.readouterr()
    assert cli.invoke(["certify", path, "--json"]) in (0, 1)
    values = json.loads(capsys.readouterr().out)
    assert values["method"] == "reference"
    assert values["l2_lower_bound"] <= values["l2_bound"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--method", "owm"), "unknown method 'owm'"),
        (("--norm", "h1"), "--norm must be l2 or energy"),
        (("--problem", "maxwel"), "maxwell"),
    ],
)
def test_certify_explains_bad_options(net, options, said, capsys):
    assert cli.invoke(["certify", net, *options]) == 2
    assert said in capsys.readouterr().err


def test_fem_certifies_every_row(capsys):
    fem = ("fem", "--solve", "--certify", "--element", "hexP", "--n", "1", "--order", "2,4")
    assert cli.invoke([*fem, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        assert row["l2_error"] < row["l2_bound"] < 10 * row["l2_error"]
        assert row["certified"]
    assert cli.invoke([*fem]) == 0
    assert "row 2: L² error at most" in capsys.readouterr().out
    assert cli.invoke(["fem", "--certify", "--n", "1"]) == 2
    assert "add --solve" in capsys.readouterr().err


def test_training_stops_when_certified(capsys):
    stop = ("train", "--track", "solve", "--width", "8", "--until-certified")
    assert cli.invoke([*stop, "0.2", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["reason"] == "target"
    assert values["own_l2_bound"] < 0.2 * 0.46  # ‖u‖ = 0.458
    assert cli.invoke([*stop, "1e-9", "--steps", "2", "--json"]) == 1
    assert "not certified to 1e-09" in capsys.readouterr().err
    assert cli.invoke(["train", "--until-certified", "0.1"]) == 2
    assert "add --track solve" in capsys.readouterr().err
