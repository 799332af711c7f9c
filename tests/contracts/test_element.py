"""An element is one file: made-up ones, dropped into the folder, go through everything unedited."""

import json
import sys

import pytest

from base.errors import UserError
from bench.store.folder import Store
from fem import elements
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.html import render_html

WHOLE = """
from fem.elements import Element, Solver, per_cell


def reference():
    from skfem.element import ElementTetN0
    return ElementTetN0()


def assembled(n=None, mesh=None):
    from fem.spaces.assembled import AssembledSpace
    return AssembledSpace(element="madeup", n=n, mesh=mesh)


ELEMENT = Element(
    name="madeup", title="Made-up tetrahedra", short="Made-up tets", about="a copy of N0",
    cell="tet", order=1, reference=reference,
    solvers={"plain": Solver(assembled, per_cell(9e4), any_mesh=True)},
)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder whose files are elements too, while the test lasts."""
    place = tmp_path / "elements"
    place.mkdir()
    monkeypatch.setattr(elements, "__path__", [*elements.__path__, str(place)])
    monkeypatch.chdir(tmp_path)
    elements.REGISTRY.forget()
    yield place
    monkeypatch.undo()
    elements.REGISTRY.forget()
    for path in place.glob("*.py"):
        sys.modules.pop(f"{elements.__name__}.{path.stem}", None)


@pytest.fixture
def made_up(folder):
    (folder / "madeup.py").write_text(WHOLE)


def rows(capsys, element, *more):
    assert invoke(["fem", "--n", "2", "--element", element, *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["rows"]


def test_the_command_lists_and_computes_it(made_up, capsys, tmp_path):
    assert invoke(["list", "--json"]) == 0
    assert "madeup" in json.loads(capsys.readouterr().out)["elements"]
    vtu = tmp_path / "u.vtu"
    (ours,), (known,) = rows(capsys, "madeup", "--vtu", str(vtu)), rows(capsys, "N0")
    assert ours["solver"] == "plain"
    assert ours["hcurl_error"] == pytest.approx(known["hcurl_error"], rel=1e-9)
    assert vtu.stat().st_size > 1000
    (graded,) = rows(capsys, "madeup", "--problem", "screen", "--grading", "2.5")
    assert graded["grading"] == 2.5


def test_a_run_measures_it_and_the_report_shows_it(made_up, capsys, tmp_path):
    chosen = ["--set", "n=1,2", "--set", "elements=madeup"]
    assert invoke(["run", "convergence", *chosen, "--run", "x", "--jobs", "0", "--no-report"]) == 0
    run = tmp_path / "runs" / "x"
    found = {r.config["n"]: r.values for r in Store(run).records()}
    assert found[2]["l2_error_inside"] < found[2]["l2_error"], "the ruler knows its cells"
    text = render_html(build_document(Run.read(run)))
    assert "Made-up tetrahedra" in text
    assert "Made-up tets" in text, "the curve is named"
    assert "<title>Made-up tetrahedra: " in text, "the figure draws it"
    capsys.readouterr()
    assert invoke(["status", "x", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert [cell["state"] for cell in cells] == ["done", "done"]


def test_what_it_cannot_do_is_said(made_up, capsys):
    assert invoke(["fem", "--n", "2", "--element", "madeup", "--solve"]) == 2
    message = capsys.readouterr().err
    assert "madeup does not do boundary-value problems; take" in message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n", "lacking is not an element: define ELEMENT"),
        (WHOLE.replace('short="Made-up tets", ', ""), "elements/lacking.py: .*'short'"),
        (WHOLE.replace(", per_cell(9e4)", ""), "elements/lacking.py: .*'needs'"),
    ],
)
def test_a_file_that_lacks_something_is_named_with_what_it_lacks(folder, source, message):
    (folder / "lacking.py").write_text(source)
    with pytest.raises(UserError, match=message):
        elements.elements()
