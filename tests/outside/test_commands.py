"""femnets new, list, --version and the front door; tables at 80 and 60 columns; JSON everywhere."""

import json
import subprocess
import sys

import pytest

import femnets
from femnets.cli import build_app, invoke


@pytest.mark.parametrize("kind", ["problem", "net", "optimizer", "study"])
def test_what_new_writes_passes_its_check(mine, kind, capsys):
    assert invoke(["new", kind, "fresh"]) == 0
    assert "femnets" in capsys.readouterr().out
    assert invoke(["check", "./fresh.py"]) == 0
    assert "WRONG" not in capsys.readouterr().out
    assert invoke(["new", kind, "fresh"]) == 2
    assert "exists" in capsys.readouterr().err


def test_an_optimiser_that_does_not_descend_fails_its_check(mine, capsys):
    assert invoke(["new", "optimizer", "up"]) == 0
    path = mine.with_name("up.py")
    path.write_text(path.read_text().replace("- rate * gradient", "+ 1e-3 * gradient"))
    assert invoke(["check", "./up.py"]) == 2
    path.write_text("def minimize(objective, theta, report):\n    return 1 / 0\n")
    assert invoke(["check", "./up.py"]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_list_shows_the_settings_of_a_study(mine, capsys):
    assert invoke(["list", "convergence", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    n = next(entry for entry in document["settings"] if entry["name"] == "n")
    assert n["type"].startswith("a list of int")
    assert n["presets"]["quick"][:3] == [1, 2, 3]
    assert invoke(["list", "convergenc"]) == 2
    assert "did you mean 'convergence'" in capsys.readouterr().err


def test_version_and_module(capsys):
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"femnets {femnets.__version__}\n"
    done = subprocess.run(
        [sys.executable, "-m", "femnets", "--version"], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == f"femnets {femnets.__version__}\n"


def test_every_command_has_json():
    import typer

    for name, command in typer.main.get_command(build_app()).commands.items():
        options = [option for parameter in command.params for option in parameter.opts]
        assert "--json" in options, name


@pytest.mark.parametrize("columns", [80, 60])
def test_tables_fit_and_lose_nothing(mine, columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    run = ["run", "convergence", "--set", "n=1,2", "--no-report", "--jobs", "0"]
    for name in ("a", "b"):
        assert invoke([*run, "--run", name]) == 0
    capsys.readouterr()
    tables = {
        "fem": (["fem", "--n", "1,2"], ["dofs", "L²", "rate", "H(curl)", "iter", "MiB"]),
        "solve": (["fem", "--n", "1", "--solve"], ["dofs", "L²", "H(curl)"]),
        "status": (["status", "a"], ["study", "preset", "done", "diverged", "failed", "missing"]),
        "compare": (["compare", "a", "b"], ["kind", "value", "numbers", "moved", "median"]),
        "list": (["list"], ["convergence", "maxwell", "hexP"]),
        "settings": (["list", "convergence"], ["elements", "quick", "full"]),
        "gradients": (["gradients", "--net", "resnet", "--hidden", "3"], ["∂J/∂W", "∂J/∂τ"]),
    }
    for name, (words, expected) in tables.items():
        assert invoke(words) == 0
        out = capsys.readouterr().out
        widest = max(map(len, out.splitlines()))
        assert widest <= columns or name == "settings", f"{name}: {widest} columns\n{out}"
        for word in expected:
            assert word in out, f"{name} lost {word!r} at {columns} columns\n{out}"
        assert "…" not in out or name in ("settings", "list"), f"{name} cuts words\n{out}"


def test_compare_says_that_nothing_moved(mine, capsys):
    run = ["run", "convergence", "--no-report", "--jobs", "0", "--set"]
    for name, sizes in (("a", "n=1,2"), ("b", "n=1,2"), ("c", "n=1")):
        assert invoke([*run, sizes, "--run", name]) == 0
    capsys.readouterr()
    assert invoke(["compare", "a", "b"]) == 0
    out = capsys.readouterr().out
    assert "nothing moved: errors and verdicts agree" in out
    assert "errors that moved" not in out
    assert invoke(["compare", "a", "c"]) == 0
    assert "no error moved" in capsys.readouterr().out


def test_help_names_the_solvers(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert invoke(["fem", "--help"]) == 0
    help_text = " ".join(capsys.readouterr().out.split())
    assert all(name in help_text for name in ("kuhn32", "transforms", "tensor"))


def test_the_front_door(mine):
    problem = femnets.problem("./mine.py")
    assert problem.title == "sines"
    assert femnets.problem(problem) is problem
    assert all(verdict.agrees for verdict in femnets.check("./mine.py"))
    assert femnets.best_approximation(problem, n=1).l2_error == pytest.approx(
        femnets.best_approximation(problem.u, problem.curl_u, n=1).l2_error
    )
    assert femnets.solve(problem, 1).l2_error < 1
    x, y = femnets.samples(problem, 5, features="x")
    assert (x.shape, y.shape) == ((5, 3), (5, 3))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = femnets.nothing
    assert {"load", "report", "train"} <= set(dir(femnets))


def test_a_run_is_one_tidy_table(mine):
    run = ["run", "convergence", "--set", "n=1,2", "--set", "problems=./mine.py", "--no-report"]
    assert invoke([*run, "--jobs", "0", "--run", "t"]) == 0
    table = femnets.load("t").to_pandas()
    assert sorted(table["n"]) == [1, 2]
    assert (table["l2_error"] > 0).all()
    assert len(femnets.load("t").rows()) == len(list(femnets.load("t"))) == 2
    assert femnets.report("t", pdf=False)[0].is_file()
