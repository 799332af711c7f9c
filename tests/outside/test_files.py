"""Files from outside: named by their content, sent along with cells, never run from a folder."""

import json
import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from journey import MINE

from base import registry
from base.errors import UserError
from bench import claims, domains, problems, studies
from bench.cells import Cell
from bench.core import plugins
from bench.core.plugin_files import read
from bench.methods import baselines, forms
from bench.store.fingerprint import modules_of
from fem import elements
from femnets.cli import invoke
from femnets.cli.list import catalogue
from nets import architectures, optimizers

NET = """
import torch

class Net(torch.nn.Module):
    TITLE = "my own"
    def __init__(self, inputs, outputs, width):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(inputs, width), torch.nn.Tanh(), torch.nn.Linear(width, outputs))
    def forward(self, x):
        return self.layers(x)

def heavyball(objective, theta, report, rate=0.02, friction=0.1):
    speed = 0 * theta
    while True:
        J, gradient = objective(theta)
        report(theta, J, gradient)
        speed = (1 - friction) * speed - rate * gradient
        theta = theta + speed
"""
EVERYTHING = '''"""Everything in one file."""
from dataclasses import dataclass, replace
from bench.cells import Cell
from bench.claims import Checked, Claim
from bench.domains.cube import DOMAIN as CUBE
from bench.problems.maxwell import PROBLEM
from fem.elements.n0 import ELEMENT as N0

DOMAIN = replace(CUBE, title="my cube")
ELEMENT = replace(N0, title="my tets")
CLAIMS = [Claim(name="mine", sentence="It is mine.", where="here", criterion="always",
                examine=lambda results: Checked(True, [], "yes"))]

def mean(inputs, targets, seed):
    return lambda x: targets.mean(axis=0) + 0 * x[:, :3], 3

@dataclass(frozen=True)
class Config:
    n: tuple[int, ...] = (1,)

PRESETS = {"quick": Config(), "paper": Config(), "full": Config()}
YIELDS = ("l2_error",)

def cells(config):
    return [Cell("fem", {"n": n}) for n in config.n]
'''
OPEN = {
    "problems": ("PROBLEM", problems.REGISTRY),
    "architectures": ("Net", architectures.REGISTRY),
    "optimizers": ("heavyball", optimizers.REGISTRY),
    "elements": ("ELEMENT", elements.REGISTRY),
    "baselines": ("mean", baselines.REGISTRY),
    "claims": ("CLAIMS", claims.REGISTRY),
    "domains": ("DOMAIN", domains.REGISTRY),
}
SMALL = ["--jobs", "0", "--set", "samples=30", "--set", "seeds=0", "--run", "r"]


def run(*words):
    return invoke(["run", *words])


def test_a_name_is_a_hash_of_the_content(mine):
    name = plugins.use("./mine.py")
    assert name == plugins.use(str(mine)), "wherever it lies"
    assert problems.get(name).name == name
    assert name not in problems.names(), "a list is of what is installed"
    mine.write_text(MINE + "# another\n", encoding="utf-8")
    assert plugins.use("./mine.py") != name
    assert plugins.used("maxwell,./mine.py").startswith("maxwell,mine@")
    assert plugins.used(3) == 3
    assert plugins.display(name) == "mine"


def test_a_cell_takes_its_files_along(mine, seen_elsewhere):
    cell = Cell("fem", {"problem": plugins.use("./mine.py"), "n": 1})
    assert seen_elsewhere(cell, "title") == "sines"


def test_a_folder_alone_finds_no_code(mine):
    """The name in a config, as a run folder would hold it, without the file."""
    cell = Cell("fem", {"problem": "mine@0123abcd", "n": 1})
    assert pickle.loads(pickle.dumps(cell)) == cell
    with pytest.raises(UserError, match=r"not stored in a run folder: .* --plug ./mine.py"):
        problems.get("mine@0123abcd")
    with pytest.raises(UserError, match="name the file again"):
        architectures.get("Net@0123abcd")
    with pytest.raises(UserError, match="name the file again"):
        optimizers.get("heavyball@0123abcd")
    with pytest.raises(UserError, match="--plug"):
        baselines.get("mine@0123abcd")


def test_an_edited_file_is_stale_and_computed_again(mine, capsys):
    words = ["convergence", "--set", "n=1", "--no-report", "--jobs", "0", "--run", "r"]
    assert run(*words, "--set", "problems=./mine.py") == 0
    mine.write_text(MINE + "# another\n", encoding="utf-8")
    capsys.readouterr()
    assert invoke(["status", "r", "--json"]) == 0
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert cell["state"] == "stale"
    assert cell["reason"] == f"{mine} has changed since"
    assert run(*words, "--set", "problems=./mine.py") == 0
    capsys.readouterr()
    assert invoke(["status", "r", "--json"]) == 0
    (again,) = json.loads(capsys.readouterr().out)["cells"]
    assert again["state"] == "done"
    assert again["key"] != cell["key"]


def test_a_net_and_an_optimiser_join_the_race_and_the_report(mine):
    mine.with_name("own.py").write_text(NET, encoding="utf-8")
    race = ["optimizers=steepest,./own.py:heavyball", "evaluations=4", "width=4"]
    nets = ["nets=resnet,./own.py:Net", "steps=2", "width=4", "hidden=2"]
    for study, settings in (("optimizers", race), ("training", nets)):
        assert run(study, *SMALL[:2], *SMALL[4:], "--no-report",
                   *(w for s in settings for w in ("--set", s))) == 0  # fmt: skip
    report = [sys.executable, "-m", "femnets", "report", "r", "--html"]
    subprocess.run(report, check=True, capture_output=True)  # a process without the file
    page = (mine.parent / "runs/r/report.html").read_text(encoding="utf-8")
    assert "heavyball" in page
    assert "my own 2-4" in page
    assert not re.search(r">Net( |<)", page), "0.2.0 called it by its class"
    assert not re.search(r"(?<!Res)Net \+ τ|my own \+ τ", page), "a module without τ"
    cells = json.loads((mine.parent / "runs/r/studies/training.json").read_text())["cells"]
    assert [c["tau"] for _, c in cells if c["net"] != "resnet"] == ["fixed"]


def test_a_study_by_path_needs_no_file_afterwards(mine, capsys):
    assert invoke(["new", "study", "widths"]) == 0
    few = ["--set", "evaluations=3", "--set", "samples=20", "--set", "widths=3"]
    assert run("./widths.py", *few, "--no-report", "--jobs", "0", "--run", "w") == 0
    mine.with_name("widths.py").unlink()
    plugins.forget_study("widths")
    studies.REGISTRY.forget()
    capsys.readouterr()
    assert invoke(["status", "w", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["done"] == 1


def test_a_study_may_not_hide_one_of_ours(mine, capsys):
    mine.with_name("training.py").write_text("", encoding="utf-8")
    assert run("./training.py") == 2
    assert "femnets has a study 'training' already" in capsys.readouterr().err


def test_every_open_kind_takes_a_file(mine):
    """The kinds of the contract and domains; a study is called as its file is."""
    mine.with_name("own.py").write_text(EVERYTHING + NET, encoding="utf-8")
    for kind, (what, plugin_registry) in OPEN.items():
        name = plugins.use(f"./own.py:{what}")
        assert name.startswith(f"{what}@"), kind
        assert name in plugin_registry
        assert plugin_registry.get(name) is plugin_registry.get(name)
        assert name not in plugin_registry.names(), "a list is of what is installed"
    assert domains.get(plugins.use("./own.py:DOMAIN")).title == "my cube"
    assert elements.get(plugins.use("./own.py:ELEMENT")).title == "my tets"
    assert studies.use("./own.py") == "own"
    assert studies.title("own") == "Everything in one file."
    with pytest.raises(UserError, match="unknown form"):
        forms.get(plugins.use("./own.py"))


@pytest.mark.parametrize("kind", [*OPEN, "studies"])
def test_entry_points_are_found_by_name(mine, monkeypatch, kind):
    """What an installed package offers is there under its name, loaded when asked."""
    for study in studies.names():
        studies.load(study)  # presets name what is installed when they are first read
    mine.write_text(EVERYTHING + NET, encoding="utf-8")
    module = read(str(mine)).module
    what, plugin_registry = OPEN.get(kind, (None, studies.REGISTRY))
    offered = module if what is None else getattr(module, what)
    if kind == "domains":
        offered = replace(offered, name="installed")
    entry = SimpleNamespace(name="installed", module="json.decoder", load=lambda: offered)
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [entry] if group == f"femnets.{kind}" else []
    )
    for each in registry.Registry.every:
        each.forget()
    assert "installed" in plugin_registry.names()
    assert plugin_registry.get("installed") is not None
    if kind in ("problems", "architectures", "baselines"):
        assert catalogue()[kind]["installed"] == "from an installed package"
    elif kind in ("elements", "domains", "studies"):
        assert "installed" in catalogue()[kind]


def test_another_version_of_an_installed_problem_is_stale(mine, monkeypatch):
    module = read(str(mine)).module
    entry = SimpleNamespace(name="installed", module="json.decoder", load=lambda: module)
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [entry] if group == "femnets.problems" else []
    )
    problems.REGISTRY.forget()
    assert problems.get("installed").title == "sines"
    assert "json.decoder" in modules_of(Cell("fem", {"problem": "installed", "n": 1}))
    assert "json.decoder" not in modules_of(Cell("fem", {"n": 1}))


@pytest.mark.parametrize("path", ["loop.py", "~nobody-of-that-name/mine.py", "pipe.py", "a\0b.py"])
@pytest.mark.parametrize("words", [("check",), ("gradients", "--data", "x.py:y")])
def test_a_path_that_leads_nowhere_is_one_line(tmp_path, monkeypatch, capsys, path, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.py").symlink_to("loop.py")
    os.mkfifo(tmp_path / "pipe.py")
    assert invoke([*words, f"{path}:make"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("femnets: ")
    assert said.count("\n") == 1


def test_a_file_that_is_no_study_leaves_nothing_behind(tmp_path):
    path = tmp_path / "nothing.py"
    path.write_text("x = 1\n")
    with pytest.raises(UserError, match="is not a study"):
        studies.use(str(path))
    assert "nothing" not in studies.names()
