"""Files from outside: named by their content, sent along with cells, never run from a folder."""

import json
import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest
from journey import MINE

from base import registry
from base.errors import UserError
from bench import problems, studies
from bench.cells import Cell
from bench.core import plugins
from bench.core.plugin_files import read
from bench.methods import baselines
from bench.store.fingerprint import modules_of
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


def test_a_cell_takes_its_files_along(mine):
    cell = Cell("fem", {"problem": plugins.use("./mine.py"), "n": 1})
    there = pickle.dumps(cell)
    code = (
        "import pickle, sys\n"
        "cell = pickle.loads(sys.stdin.buffer.read())\n"
        "from bench import problems\n"
        "print(problems.get(cell.config['problem']).title)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=there, capture_output=True, cwd="/", timeout=60
    )
    assert done.stdout.decode().strip() == "sines", done.stderr.decode()


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


def test_a_net_and_an_optimiser_join_the_race_and_the_report(mine, capsys, monkeypatch):
    monkeypatch.setattr("bench.core.threads.use_one_thread", lambda: None)
    mine.with_name("own.py").write_text(NET, encoding="utf-8")
    race = ["optimizers=steepest,./own.py:heavyball", "evaluations=4", "width=4"]
    nets = ["nets=resnet,./own.py:Net", "steps=2", "width=4", "taus=fixed", "hidden=2"]
    for study, settings in (("optimizers", race), ("training", nets)):
        assert run(study, *SMALL[:2], *SMALL[4:], "--no-report",
                   *(w for s in settings for w in ("--set", s))) == 0  # fmt: skip
    assert invoke(["report", "r", "--html"]) == 0
    page = (mine.parent / "runs/r/report.html").read_text(encoding="utf-8")
    assert "heavyball" in page
    assert "Net 2-4" in page


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
    assert "'training' is a study of femnets" in capsys.readouterr().err


def test_entry_points_are_found_by_name(mine, monkeypatch):
    """Every group: what an installed package offers is there under its name, loaded when asked."""
    for study in studies.names():
        studies.load(study)  # presets name what is installed when they are first read
    module = read(str(mine)).module
    things = {
        "problems": module,
        "architectures": SimpleNamespace(make=None),
        "baselines": SimpleNamespace(fit=lambda inputs, targets, seed: None),
    }

    def entries(group):
        kind = group.removeprefix("femnets.")
        if kind not in things:
            return []
        value = "json.decoder" if kind == "problems" else "json"
        return [SimpleNamespace(name="installed", module=value, load=lambda: things[kind])]

    monkeypatch.setattr(registry, "entry_points", entries)
    for each in registry.Registry.every:
        each.forget()
    assert problems.get("installed").title == "sines"
    assert "installed" in problems.names()
    assert "installed" in architectures.names()
    assert baselines.get("installed") is things["baselines"]
    mine_too = Cell("fem", {"problem": "installed", "n": 1})
    assert "json.decoder" in modules_of(mine_too), "another version of it is stale"
    assert "json.decoder" not in modules_of(Cell("fem", {"n": 1}))
    known = catalogue()
    for kind in ("problems", "architectures", "baselines"):
        assert known[kind]["installed"] == "from an installed package"


def test_the_config_file_of_a_run_may_name_files(mine):
    (mine.parent / "mine.toml").write_text(
        'studies = ["convergence"]\n[convergence]\nproblems = ["./mine.py"]\nn = [1]\n'
    )
    assert run("--config", "mine.toml", "--jobs", "0", "--no-report", "--run", "t") == 0


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
    with pytest.raises(UserError, match="no study"):
        studies.use(str(path))
    assert "nothing" not in studies.names()
