"""`femnets certify`, `fem --certify`, `train --until-certified`: output and exit codes."""

import json
import re

import pytest

from femnets.cli import invoke

TRAIN = ("train", "--track", "solve", "--width", "8", "--evaluations", "60")


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    path = tmp_path_factory.mktemp("nets") / "net.safetensors"
    assert invoke([*TRAIN, "--save", str(path), "--json"]) == 0
    return str(path)


def test_certify_prints_bounds_and_json(net, cli, capsys):
    said = cli("certify", net).out
    assert re.search(r"^l2_bound +\d", said, re.MULTILINE)
    assert re.search(r"^certified +True$", said, re.MULTILINE)
    assert "C_M value 0.2251, tag exact" in said
    assert invoke(["certify", net, "--method", "own", "--norm", "energy", "--json"]) in (0, 1)
    values = json.loads(capsys.readouterr().out)
    keys = {"l2_bound", "l2_lower_bound", "relative_l2_bound", "energy_bound"}
    assert keys | {"energy_lower_bound", "certified", "reason", "seconds"} <= values.keys()
    assert values["l2_lower_bound"] is None
    assert values["method"] == "own"


def test_certify_refuses_a_field_that_is_wrong(net, cli):
    said = cli("certify", net, "--problem", "reentrant", code=1).out
    assert re.search(r"^certified +False\nreason +the bound", said, re.MULTILINE)


def test_nets_that_were_given_samples_are_certified_by_a_reference(tmp_path, cli, capsys):
    path = str(tmp_path / "fit.safetensors")
    small = ("--hidden", "1", "--width", "5", "--samples", "200", "--steps", "60")
    cli("train", *small, "--save", path)
    assert invoke(["certify", path, "--json"]) in (0, 1)
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
def test_certify_explains_bad_options(net, options, said, cli):
    cli.refuses(said, "certify", net, *options)


def test_fem_certifies_every_row(cli):
    fem = ("fem", "--solve", "--certify", "--element", "hexP", "--n", "1", "--order", "2,4")
    for row in cli.json(*fem)["rows"]:
        assert row["l2_error"] < row["l2_bound"] < 10 * row["l2_error"]
        assert row["certified"]
    assert "row 2: L² error at most" in cli(*fem).out
    cli.refuses("add --solve", "fem", "--certify", "--n", "1")


def test_training_stops_when_certified(cli):
    stop = ("train", "--track", "solve", "--width", "8", "--until-certified")
    values = cli.json(*stop, "0.2")
    assert values["reason"] == "target"
    assert values["own_l2_bound"] < 0.2 * 0.46  # ‖u‖ = 0.458
    assert "not certified to 1e-09" in cli(*stop, "1e-9", "--steps", "2", code=1).err
    cli.refuses("add --track solve", "train", "--until-certified", "0.1")
