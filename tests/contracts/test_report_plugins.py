"""A made-up claim, section, baseline and command, each dropped in as one file and nothing else."""

from types import SimpleNamespace

import pytest

import bench.studies.baselines  # noqa: F401  (its presets list baselines: before any is dropped)
from bench.claims import all_claims
from bench.claims.facts import all_facts
from bench.store.folder import Store
from bench.store.results import Results
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.document import Missing
from reports.faults import noted
from reports.html import render_html

CLAIM = """
from bench.claims import Claim, Checked, NotTested

def _examine(results):
    cells = results.select("baseline")
    if not len(cells):
        return NotTested("femnets run baselines")
    return Checked(True, cells.keys(), f"{len(cells)} cells say so")

CLAIMS = [Claim(name="made-up", sentence="Everything is made up.", where="here", criterion="always",
                examine=_examine)]
"""
SECTION = """
from reports.document import Paragraph

TITLE = "A made-up section"
ORDER = 12.5
STUDY = "baselines"

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
def run(tmp_path, monkeypatch):
    """A run of one baseline in an empty directory; returns the path of the run."""
    monkeypatch.chdir(tmp_path)

    def start(method):
        chosen = [f"methods={method}", "problems=maxwell", "features=x", "samples=1000", "fitted="]
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
    return [section.title for section in document.sections]


def test_a_claim_a_section_and_a_baseline_from_run_to_report(dropped_in, run):
    dropped_in("bench.claims.themes", "made_up", CLAIM)
    dropped_in("reports.sections", "made_up", SECTION)
    dropped_in("bench.methods.baselines", "made_up", BASELINE)
    document = build_document(Run.read(run("made_up")))
    page = render_html(document)
    assert "Everything is made up." in page
    assert "1 cells say so" in page
    assert "It has seen 1 cells." in page
    assert titles(document).index("A made-up section") == 1, "after the glance, by its ORDER"
    assert page.count("made up (x)") >= 2, "the table of samples and the situations"
    figure = next(p for p in document.pictures() if p.name == "samples").draw()
    assert "made up" in [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_what_is_missing_is_named(dropped_in, planned):
    dropped_in("bench.claims.themes", "made_up", CLAIM)
    dropped_in("reports.sections", "made_up", SECTION)
    document = build_document(Run.read(planned))
    section = next(s for s in document.sections if s.title == "A made-up section")
    command = "femnets run baselines --preset quick --run planned"
    assert Missing("no results of baselines in this run yet.", command) in section.blocks
    assert {e.claim.name: e.verdict for e in Run.read(planned).ledger}["made-up"] == "not testable"


def text_of(section):
    return " ".join(getattr(block, "text", "") for block in section.blocks)


@pytest.mark.parametrize("part", ["TITLE", "ORDER"])
def test_a_section_that_does_not_describe_itself_leaves_a_note(dropped_in, planned, part):
    whole = titles(build_document(Run.read(planned)))
    source = "\n".join(line for line in SECTION.splitlines() if not line.startswith(part))
    dropped_in("reports.sections", "made_up", source)
    document = build_document(Run.read(planned))
    (note,) = [s for s in document.sections if s.title == "made_up"]
    assert "section 'made_up' could not be made" in text_of(note)
    assert part in text_of(note)
    assert [title for title in titles(document) if title != "made_up"] == whole


def test_a_fault_in_a_section_stays_in_its_place(dropped_in, run):
    made = run("linear")
    whole = build_document(Run.read(made))
    dropped_in("reports.sections", "made_up", SECTION + "def contents(run):\n    return [1 / 0]\n")
    with noted() as faults:
        document = build_document(Run.read(made))
    note = "section 'A made-up section' could not be made: ZeroDivisionError"
    assert len(faults) == 1
    assert faults[0].startswith(note)
    assert [s.title for s in document.sections if text_of(s).startswith(note)] == [
        "A made-up section"
    ]
    assert set(titles(whole)) <= set(titles(document))
    assert "see the log" in render_html(document)


def test_a_fault_in_a_claim_stays_in_its_place(dropped_in, planned):
    others = {e.claim.name: e.verdict for e in Run.read(planned).ledger}
    dropped_in("bench.claims.themes", "made_up", CLAIM.replace('select("baseline")', "unknown"))
    entries = {entry.claim.name: entry for entry in Run.read(planned).ledger}
    made = entries.pop("made-up")
    assert made.verdict == "not testable"
    assert made.evidence.startswith("the verdict on made-up could not be made: AttributeError")
    assert {name: entry.verdict for name, entry in entries.items()} == others


def test_a_file_of_claims_without_claims_leaves_a_note(dropped_in):
    names = [claim.name for claim in all_claims()]
    dropped_in("bench.claims.themes", "made_up", "WRONG = []")
    claims = {claim.name: claim for claim in all_claims()}
    assert "made_up declares no claims" in claims.pop("made_up").sentence
    assert list(claims) == names


def test_a_fact_and_a_fault_in_one(dropped_in):
    source = "from bench.claims.facts import Fact\n\ndef facts(results):\n    "
    dropped_in("bench.claims.facts", "made_up", source + 'return [Fact(name="one", value=1.0)]')
    found, notes = all_facts(Results([]))
    assert found["made_up/one"].value == 1.0
    assert notes == []
    dropped_in("bench.claims.facts", "broken", source + "return [Fact(1 / 0)]")
    found, (note,) = all_facts(Results([]))
    assert "made_up/one" in found
    assert note.startswith("facts of broken could not be made: ZeroDivisionError")


def test_unknown_names_in_results_do_not_end_the_report():
    configs = [
        ("fem", {"element": "nosuch", "n": 2, "problem": "maxwell", "solve": False}),
        ("fem", {"element": "nosuch", "n": 2, "problem": "maxwell", "solve": True}),
        ("net", {"net": "nosuch", "tau": "fixed", "problem": "nosuch", "optimizer": "nosuch"}),
        ("gradients_at_init", {"net": "nosuch", "hidden": 2, "scale": 1.0}),
    ]
    standings = [
        SimpleNamespace(
            record=SimpleNamespace(
                kind=kind, config=config, key=f"k{k}", arrays={}, provenance={}, state="done",
                values={"l2_error": 0.1, "dofs": 7, "seconds": 1.0, "h": 0.5, "label": "healthy",
                        "parameters": 5},
            ),
            cell=SimpleNamespace(config=config, label="made up", key=f"k{k}", kind=kind),
            studies=("convergence",), state="done", reason="", damaged=False,
        )
        for k, (kind, config) in enumerate(configs)
    ]  # fmt: skip
    document = build_document(Run("r", {}, standings))
    assert "Environment and state of the run" in titles(document)
    render_html(document)


def test_a_command(dropped_in, capsys):
    dropped_in("femnets.cli", "made_up", COMMAND)
    assert invoke(["made-up"]) == 0
    assert capsys.readouterr().out == "made up\n"
    assert invoke(["--help"]) == 0
    assert "Says something made up." in capsys.readouterr().out
