"""`femnets gradients` of our nets and of FILE.py:make: JSON, a table, a page, complaints."""

import pytest

FILE = '''
import torch
from torch import nn

def make():
    hidden = [part for _ in range(12) for part in (nn.Linear(6, 6), nn.Sigmoid())]
    return nn.Sequential(nn.Linear(3, 6), *hidden, nn.Linear(6, 2))

def other():
    return nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))

class Named(nn.Module):
    """A name that would be markup."""
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({"<script>alert(1)</script>[bold]": nn.Linear(3, 2)})
    def forward(self, x):
        return self.parts["<script>alert(1)</script>[bold]"](x)

def batch():
    return torch.ones(4, 3), torch.zeros(4, 2)

def wide():
    return torch.ones(4, 5), torch.zeros(4, 2)

def loss(output, y):
    return (output - y).abs().mean()

number = 3
def nothing():
    return None
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "my_nets.py").write_text(FILE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("import torch\n1 / 0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


QUICK = ("--data", "my_nets.py:batch", "--steps", "3", "--remedy-steps", "2")


@pytest.mark.parametrize("net", ["feedforward", "resnet", "densenet", "fractional"])
def test_json_has_every_layer_beside_the_theory(cli, net):
    sizes = ("--hidden", "6", "--width", "8", "--samples", "20")
    result = cli.json("gradients", "--net", net, *sizes)
    assert [row["layer"] for row in result["layers"]] == list(range(8))
    for row in result["layers"][:6]:
        for kind in ("W", "b", "tau"):
            assert row[f"theory_{kind}"] == pytest.approx(row[kind], rel=1e-8)
    for row in result["layers"][1:7]:
        assert row["theory_y"] == pytest.approx(row["y"], rel=1e-8)
    assert result["theory_error"] < 1e-8


def test_verdicts(cli):
    def verdict(*arguments):
        small = ("--samples", "10", "--width", "10")
        return cli.json("gradients", *small, *arguments)["verdict"]

    assert verdict("--net", "feedforward", "--hidden", "20", "--scale", "0.5") == "vanishing"
    assert verdict("--net", "resnet", "--hidden", "20") == "exploding"
    assert verdict("--net", "resnet", "--hidden", "20", "--tau0", "1/H") == "healthy"
    assert verdict("--net", "feedforward", "--hidden", "5", "--tau0", "0") == "dead layer"


def test_tau0_has_one_grammar(cli):
    """As `femnets train` reads it, tests/femnets/test_cli_train.py."""
    norms = []
    for tau0 in ("2/H", "0.5", "0.5,0.5,0.5,0.5", "1/sqrtH"):
        small = ("--net", "resnet", "--hidden", "4", "--samples", "9")
        layers = cli.json("gradients", *small, "--tau0", tau0)["layers"]
        norms.append([row["log10_y"] for row in layers])
    assert norms[1:] == norms[:1] * 3


def test_depth_beyond_float64_is_valid_json(cli):
    deep = ("--net", "densenet", "--hidden", "200", "--width", "5", "--scale", "16")
    result = cli.json("gradients", *deep, "--samples", "4")
    assert result["layers"][0]["W"] is None
    assert result["layers"][0]["log10_W"] > 308


def test_json_has_a_verdict_a_layer_and_the_remedies(here, cli):
    two = ("--seeds", "2", "--loss", "my_nets.py:loss", "--against", "my_nets.py:other")
    result = cli.json("gradients", "my_nets.py:make", *QUICK, *two)
    assert result["verdict"] == "vanishing"
    assert isinstance(result["layer"], str)
    assert result["against"]["verdict"] == "healthy"
    assert len(result["J"]) == 2
    assert {row["remedy"] for row in result["remedies"]} >= {"as it is", "LayerNorm", "ReZero"}
    assert result["remedy"] == result["remedies"][0]["remedy"]
    assert len(result["lyapunov"]) == len(result["singular_values"]) == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--net", "resnet", "--hidden", "4", "--samples", "10"), "healthy"),
        (("my_nets.py:make", *QUICK), "vanishing"),
    ],
)
def test_table_fits_a_terminal(here, cli, monkeypatch, arguments, words):
    monkeypatch.setenv("COLUMNS", "80")
    out = cli("gradients", *arguments).out
    assert words in out
    assert "█" in out
    assert "…" not in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_the_page_has_the_verdict_and_the_figures(here, cli):
    cli("gradients", "my_nets.py:make", *QUICK, "--out", "page.html")
    page = (here / "page.html").read_text(encoding="utf-8")
    assert "The verdict on make: vanishing" in page
    assert page.count("<svg") >= 4
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert sorted(path.name for path in here.glob(".*")) == []


def test_names_from_outside_are_only_text(here, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = cli("gradients", "my_nets.py:Named", *QUICK, "--out", "page.html").out
    assert "<script>alert(1)" not in (here / "page.html").read_text(encoding="utf-8")
    assert "[bold]" in out


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
        (("my_nets.py:make",), "needs data"),
        (("my_nets.py:mak", *QUICK), "did you mean 'make'"),
        (("my_nets.py", *QUICK), "must be FILE.py:NAME"),
        (("no_nets.py:make", *QUICK), "does not exist"),
        (("broken.py:make", *QUICK), "ZeroDivisionError"),
        (("my_nets.py:number", *QUICK), "neither a module nor a function"),
        (("my_nets.py:nothing", *QUICK), "must return a torch.nn.Module, it returned None"),
        (("my_nets.py:make", "--data", "my_nets.py:wide"), "does not accept its data"),
        (("my_nets.py:make", *QUICK, "--out", "page.docx"), "--out writes a HTML"),
        (("my_nets.py:make", *QUICK, "--out", "no/page.html"), "directory no does not exist"),
        (("my_nets.py:make", *QUICK, "--scale", "2"), "--scale is for nets of femnets"),
        (("my_nets.py:make", *QUICK, "--net", "resnet"), "--net is for nets of femnets"),
        (("my_nets.py:make", *QUICK, "--optimizer", "adan"), "did you mean 'adam'"),
        (("--net", "resnet", "--hidden", "3", "--data", "x.py:y"), "--data needs a module"),
        (("--hidden", "3"), "net"),
    ],
)
def test_bad_input_is_one_line(here, cli, arguments, words):
    cli.refuses(words, "gradients", *arguments)
