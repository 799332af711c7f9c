"""A made-up claim, section, baseline and command, each dropped in as one file and nothing else."""

import importlib
import sys

import pytest

from base.errors import UserError
from base.registry import Registry
from bench.claims import all_claims
from bench.store.folder import Store
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.document import Missing
from reports.html import render_html

CLAIM = """
from bench.claims import Claim, Fact, NotTested

def _examine(results):
    cells = results.select("baseline")
    if not len(cells):
        return NotTested("femnets run baselines")
    return Fact(True, cells.keys(), f"{len(cells)} cells say so")

CLAIMS = [Claim(name="made-up", sentence="Everything is made up.", where="here", rule="always",
                examine=_examine)]
"""
SECTION = """
from reports.document import Paragraph

TITLE = "A made-up section"
ORDER = 12.5
STUDIES = ("baselines",)
GAP = "nothing made up yet."

def contents(run):
    cells = run.results_of("baselines")
    return [Paragraph(f"It has seen {len(cells)} cells.")] if len(cells) else []
"""
BASELINE = """
import numpy as np

PLACE = 99

def fit(inputs, targets, seed):
    mean = targets.mean(axis=0)
    return (lambda x: np.tile(mean, (len(x), 1))), mean.size
"""
COMMAND = '''
def command() -> None:
    """Says something made up."""
    print("made up")
'''


@pytest.fixture
def drop(tmp_path, monkeypatch):
    """Drops a file into a package, as a user would, and takes it away afterwards."""
    dropped = []

    def put(package, name, source):
        folder = tmp_path / "plugs" / package
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
        module = importlib.import_module(package)
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder)])
        dropped.append((module, name))
        forget(module)

    yield put
    for module, name in dropped:
        sys.modules.pop(f"{module.__name__}.{name}", None)
        vars(module).pop(name, None)
        forget(module)


def forget(module):
    """What a package keeps of the files in it."""
    importlib.invalidate_caches()
    for registry in Registry.every:
        registry.forget()
    for value in list(vars(module).values()):
        if hasattr(value, "cache_clear"):
            value.cache_clear()


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of one baseline in an empty directory; returns the path of the run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "bench.core.threads.use_one_thread", lambda: None
    )  # other tests' environment

    def start(method):
        chosen = [f"methods={method}", "problems=maxwell", "features=x", "samples=1000"]
        settings = [word for each in chosen for word in ("--set", each)]
        arguments = ["run", "baselines", "--run", "r", "--jobs", "0", "--no-report", *settings]
        assert invoke(arguments) == 0
        return tmp_path / "runs" / "r"

    return start


@pytest.fixture
def planned(tmp_path):
    """A run that has planned its baselines and computed none."""
    store = Store.writable(tmp_path / "planned")
    config = {"methods": ["linear"], "features": ["x"], "problems": ["maxwell"], "data_seeds": [0]}
    store.plan("baselines", {"study": "baselines", "preset": "quick", "config": config})
    store.close()
    return tmp_path / "planned"


def titles(document):
    return [section.title for section in document.supplement]


def test_a_claim_a_section_and_a_baseline_from_run_to_report(drop, run):
    drop("bench.claims.themes", "made_up", CLAIM)
    drop("reports.sections", "made_up", SECTION)
    drop("bench.methods.baselines", "made_up", BASELINE)
    document = build_document(Run.read(run("made_up")))
    page = render_html(document)
    assert "Everything is made up." in page
    assert "1 cells say so" in page
    assert "It has seen 1 cells." in page
    assert titles(document).index("A made-up section") == 1, "after the answer, by its ORDER"
    assert page.count("made up (x)") >= 3, "the comparison, the decision table, the method cards"
    figure = next(p for p in document.pictures() if p.name == "work-precision").draw()
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "made up" in legend


def test_what_is_missing_is_named(drop, planned):
    drop("bench.claims.themes", "made_up", CLAIM)
    drop("reports.sections", "made_up", SECTION)
    document = build_document(Run.read(planned))
    section = next(s for s in document.supplement if s.title == "Not in this run")
    command = "femnets run baselines --preset quick --run planned"
    assert Missing("nothing made up yet.", command) in section.blocks
    assert {e.claim.name: e.status for e in Run.read(planned).ledger}["made-up"] == "not tested yet"


@pytest.mark.parametrize("part", ["TITLE", "ORDER", "STUDIES", "GAP"])
def test_a_section_that_does_not_describe_itself_is_refused(drop, planned, part):
    source = "\n".join(line for line in SECTION.splitlines() if not line.startswith(part))
    drop("reports.sections", "made_up", source)
    with pytest.raises(UserError, match=f"reports.sections.made_up is no section.*{part}"):
        build_document(Run.read(planned))


def test_a_file_of_claims_without_claims_is_refused(drop):
    drop("bench.claims.themes", "made_up", "WRONG = []")
    with pytest.raises(UserError, match=r"made_up declares no claims.*CLAIMS"):
        all_claims()


def test_a_command(drop, capsys):
    drop("femnets.cli", "made_up", COMMAND)
    assert invoke(["made-up"]) == 0
    assert capsys.readouterr().out == "made up\n"
    assert invoke(["--help"]) == 0
    assert "Says something made up." in capsys.readouterr().out
