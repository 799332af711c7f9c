"""`femnets gradients`: a JSON document with the theory beside the measurement, and a table."""

import json

import pytest

from femnets.cli import invoke


def gradients(capsys, *arguments):
    code = invoke(["gradients", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("net", ["feedforward", "resnet", "densenet", "fractional"])
def test_json_has_every_layer_beside_the_theory(capsys, net):
    code, out, _ = gradients(
        capsys, "--net", net, "--hidden", "6", "--width", "8", "--samples", "20", "--json"
    )
    result = json.loads(out)
    assert code == 0
    assert [row["layer"] for row in result["layers"]] == list(range(8))
    for row in result["layers"][:6]:
        for kind in ("W", "b", "tau"):
            assert row[f"theory_{kind}"] == pytest.approx(row[kind], rel=1e-8)
    for row in result["layers"][1:7]:
        assert row["theory_y"] == pytest.approx(row["y"], rel=1e-8)
    assert result["theory_error"] < 1e-8


def test_verdicts(capsys):
    def verdict(*arguments):
        _, out, _ = gradients(capsys, "--samples", "10", "--width", "10", "--json", *arguments)
        return json.loads(out)["verdict"]

    assert verdict("--net", "feedforward", "--hidden", "20", "--scale", "0.5") == "vanishing"
    assert verdict("--net", "resnet", "--hidden", "20") == "exploding"
    assert verdict("--net", "resnet", "--hidden", "20", "--tau0", "1/H") == "healthy"
    assert verdict("--net", "feedforward", "--hidden", "5", "--tau0", "0") == "dead layer"


def test_tau0_has_one_grammar(capsys):
    """As `femnets train` reads it, tests/femnets/test_cli_train.py."""
    norms = []
    for tau0 in ("2/H", "0.5", "0.5,0.5,0.5,0.5", "1/sqrtH"):
        _, out, _ = gradients(
            capsys, "--net", "resnet", "--hidden", "4", "--samples", "9", "--tau0", tau0, "--json"
        )
        norms.append([row["log10_y"] for row in json.loads(out)["layers"]])
    assert norms[1:] == norms[:1] * 3


def test_depth_beyond_float64_is_valid_json(capsys):
    code, out, _ = gradients(
        capsys, "--net", "densenet", "--hidden", "200", "--width", "5", "--scale", "16",
        "--samples", "4", "--json",
    )  # fmt: skip
    result = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert code == 0
    assert result["layers"][0]["W"] is None
    assert result["layers"][0]["log10_W"] > 308


def test_table_fits_a_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = gradients(capsys, "--net", "resnet", "--hidden", "4", "--samples", "10")
    assert code == 0
    assert "healthy" in out
    assert "█" in out
    assert "…" not in out
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--net", "resnext", "--hidden", "3"), "did you mean 'resnet'"),
        (("--net", "resnet", "--hidden", "0"), "hidden"),
        (("--net", "resnet", "--hidden", "3", "--tau0", "1/h"), "tau0 must be"),
        (("--net", "fractional", "--hidden", "3", "--tau0", "0"), "tau0 must be positive"),
        (("--net", "resnet", "--hidden", "3", "--tau0", "1,2"), "2 steps but hidden = 3"),
        (("--net", "fractional", "--hidden", "3", "--gamma", "1.5"), "gamma must lie in"),
        (("--net", "resnet", "--hidden", "3", "--problem", "maxwel"), "did you mean 'maxwell'"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, words):
    code, out, err = gradients(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
