"""A problem is one file: a made-up one, dropped in, goes through fem, run, ledger and report."""

import json

import pytest

from bench import problems
from bench.store.folder import Store
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.html import render_html

SHEAR = '''
    """`shear`: u = (x₂ x₃, 0, 0), a polynomial that no lowest-order element has."""

    import numpy as np

    from bench.problems import Problem, components


    def u(x):
        x1, x2, x3 = components(x)
        return np.stack([x2 * x3, 0 * x1, 0 * x1])


    def curl_u(x):
        x1, x2, x3 = components(x)
        return np.stack([0 * x1, x2, -x3])


    def phi(x):
        return 1 + 0 * components(x)[0]


    def none(x):
        return 0 * components(x)


    PROBLEM = Problem(
        name="shear", title="A shear flow", u=u, curl_u=curl_u, f=none, phi=phi, grad_phi=none
    )
'''


@pytest.fixture
def shear(dropped_in, monkeypatch, tmp_path):
    dropped_in("bench.problems", "shear", SHEAR)
    monkeypatch.chdir(tmp_path)
    return problems.get("shear")


def test_the_commands_know_it(shear, capsys):
    assert invoke(["list", "--json"]) == 0
    assert "shear" in json.loads(capsys.readouterr().out)["problems"]
    assert invoke(["fem", "--problem", "shear", "--element", "N1", "--n", "1,2", "--json"]) == 0
    coarse, fine = json.loads(capsys.readouterr().out)["rows"]
    assert coarse["l2_error"] > 2.5 * fine["l2_error"] > 0
    assert invoke(["fem", "--problem", "shear", "--element", "hexN0", "--n", "1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["l2_error"] < 1e-12, "x₂ x₃ e₁ is a function of the hexahedral element"


def test_a_run_measures_it_and_the_report_shows_it(shear, capsys, tmp_path):
    chosen = ["--set", "problems=shear", "--jobs", "0", "--no-report", "--run", "x"]
    assert invoke(["run", "convergence", *chosen, "--set", "n=1,2"]) == 0
    assert (
        invoke(["run", "baselines", *chosen, "--set", "methods=quadratic", "--set", "fitted=shear"])
        == 0
    )
    found = list(Store(tmp_path / "runs" / "x").records())
    assert {record.kind for record in found} == {"fem", "baseline", "fem_fit"}
    exact = [r for r in found if r.kind == "baseline" and r.config["features"] == "x,f,phi"]
    assert exact[0].values["l2_error"] < 1e-10, "a polynomial of second order"
    assert "shear" in render_html(build_document(Run.read(tmp_path / "runs" / "x")))
