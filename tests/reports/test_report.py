"""The report of a run: it follows the results on disk and names its gaps."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.cells import Cell, Result, paired
from bench.claims import Checked, Claim, Entry, NotTested, all_claims
from bench.store.files import encoded
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import Store
from femnets.cli import invoke
from reports import compile_report
from reports.competitors import competitors
from reports.compile import build_document
from reports.context import Run
from reports.html import render_html
from reports.pdf import render_pdf, typst_source
from reports.sections import ledger

PLANS = {
    "convergence": {"n": [1, 2, 4], "elements": ["N0"], "problems": ["maxwell"]},
    "baselines": {
        "methods": ["linear"],
        "features": ["x,f,phi"],
        "problems": ["maxwell"],
        "samples": [12_000],
        "data_seeds": [0, 1],
    },
}


def fem_values(n, error=None):
    return {
        "n": n, "h": math.sqrt(3) / n, "dofs": 7 * n**3 + 9 * n**2 + 3 * n, "element": "N0",
        "element_title": "N₀ tetrahedra", "element_short": "N₀ tets", "element_rate": 1,
        "l2_error": 0.02 / n if error is None else error, "hcurl_error": 0.1 / n,
        "iterations": 0, "seconds": 0.01 * n,
    }  # fmt: skip


def baseline_values(seed):
    return {
        "l2_error": 1e-3 * (1 + seed), "l2_error_inside": 4e-4, "l2_error_outside": 9e-4,
        "rel_test_error": 3e-4, "unknowns": 21, "seconds": 0.02, "seconds_per_point": 1e-7,
    }  # fmt: skip


def put(store, kind, config, values):
    cell = Cell(kind, config)
    store.commit(
        cell, encoded(cell, Result(values), fingerprint_of(cell), {"versions": {"x": "1"}})
    )


def make_run(path, *, fem=True, finest=None):
    store = Store.writable(path)
    for study, config in PLANS.items():
        store.plan(study, {"study": study, "preset": "quick", "config": config})
    for n in PLANS["convergence"]["n"] if fem else ():
        put(store, "fem", {"n": n}, fem_values(n, finest if n == 4 else None))
    for seed in (0, 1):
        put(store, "baseline", {"method": "linear", **paired(seed)}, baseline_values(seed))
    store.close()
    return path


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "<script>alert(1)<script>")


def page(path):
    return render_html(build_document(Run.read(path)))


def test_a_whole_report(run):
    text = page(run)
    assert "N₀ tetrahedra" in text
    assert "linear (x,f,phi)" in text
    assert "1.5·10⁻³" in text, "the median of two seeds"
    assert text.count("<script>") == 1, "the run's name is harmless"
    assert "7 done" not in text
    assert "5 done" in text


def test_the_pdf_has_every_figure_and_heading(run):
    document = build_document(Run.read(run))
    source = typst_source(document)
    pictures = document.pictures()
    assert len(pictures) == source.count("#figure(image(") >= 2
    assert all(f'"{section.title}"' in source for _, section in document.walk())
    assert render_pdf(document).startswith(b"%PDF")


def test_one_changed_result_moves_all_that_depends_on_it(tmp_path):
    before = page(make_run(tmp_path / "a"))
    after = page(make_run(tmp_path / "b", finest=1.2345e-3))
    assert "0.0012345" not in before
    assert after.count('data-value="0.0012345"') >= 2, "at a glance and in the table of elements"
    mark = re.compile(r"<title>N₀ tetrahedra: mesh size h, finer to the right 0.433, ([^<]*)")
    assert mark.search(before).group(1) != mark.search(after).group(1)


def test_a_removed_study_leaves_an_honest_gap(tmp_path):
    text = page(make_run(tmp_path / "run", fem=False))
    assert "no results of convergence in this run" in text
    assert "femnets run convergence --preset quick --run run" in text
    assert "3 missing" in text
    assert "fem n=4" in text


def test_an_empty_run_still_reports(tmp_path):
    path = tmp_path / "empty"
    Store.writable(path).close()
    assert "no results yet" in page(path)


def test_several_runs_in_one_report(tmp_path):
    """Errors and verdicts side by side; a run's name from outside stays text in both media."""
    one = make_run(tmp_path / "one")
    other = make_run(tmp_path / "<b>two", finest=1.234e-3)
    document = build_document(Run.read(one, [other]))
    text = render_html(document)
    assert "Runs compared" in text
    assert "L² error, whole domain, one" in text
    assert "L² error, whole domain, &lt;b&gt;two" in text
    assert "1.2·10⁻³" in text
    assert "1.23·10⁻³" not in page(one)
    assert "Runs compared" not in page(one)
    assert render_pdf(document).startswith(b"%PDF")
    before = compile_report(one, pdf=False)[0].read_bytes()
    assert compile_report(one, pdf=False, others=[other])[0].read_bytes() != before


def test_runs_of_other_studies_are_compared_by_the_claims_they_share(tmp_path):
    """Ledgers differ in length where runs plan other problems; a contradiction comes first."""
    from reports.sections import runs

    def entry(name, status):
        claim = Claim(name=name, sentence=f"Sentence {name}.", criterion="", examine=Checked)
        finding = NotTested("run") if status == "not testable" else Checked(True, (), "")
        return Entry(claim, status, f"evidence {name}", (), finding)

    one, other = (Run.read(make_run(tmp_path / name)) for name in ("one", "other"))
    ours = [entry("a", "holds"), entry("b", "holds"), entry("c", "depends"), entry("d", "holds")]
    theirs = [entry("b", "fails"), entry("c", "depends"), entry("d", "not testable")]
    one.__dict__["ledger"], other.__dict__["ledger"] = ours, theirs
    both = replace(one, others=[other])
    both.__dict__["ledger"] = ours
    summary, verdicts, *_ = runs.contents(both)
    counts = "Claims tested in several runs: 2, with the same verdict: 1, contradicted: 1."
    assert counts in summary.text
    assert verdicts.rows[0][:3] == ("Sentence b.", "holds. evidence b", "fails. evidence b")
    assert [row[0] for row in verdicts.rows] == ["Sentence b.", "Sentence c."]


def test_the_report_says_what_else_the_machine_did(tmp_path):
    from reports.sections import environment

    run = Run.read(make_run(tmp_path / "one"))
    assert not [block for block in environment.contents(run) if "stretch" in str(block)]
    session = {"start": "2026-11-18T05:00:00+00:00", "cells": 3}
    busy = [
        session | {"seconds": 3600.0, "other_cores": 0.1},
        session | {"seconds": 1200.0, "other_cores": 0.9},
        session | {"seconds": 9.0, "other_cores": None},
    ]
    text = str(environment.contents(replace(run, sessions=busy)))
    assert "2 stretches of 80 min together. Other processes took 0.30 cores meanwhile" in text
    assert "seconds may be longer" in text
    calm = str(environment.contents(replace(run, sessions=busy[:1])))
    assert "0.10 cores meanwhile." in calm


def test_a_claim_that_another_run_contradicts_is_undecided():
    """Claims of all parts are one table."""
    claims = [next(c for c in all_claims() if c.part == part) for part in ("paper", "control")]

    def run(verdict):
        found = [Entry(c, verdict, "", (), Checked(verdict == "holds", (), "")) for c in claims]
        return SimpleNamespace(ledger=found, others=[], records=[])

    alone, contradicted = run("holds"), run("holds")
    contradicted.others = [run("fails")]
    for each, status in ((alone, "holds"), (contradicted, "undecided")):
        _, table = ledger.contents(each)
        assert [row[0] for row in table.rows] == ["paper", "control"]
        assert table.tints == {(0, 2): status, (1, 2): status}


def test_every_claim_is_listed_even_untested(run):
    text = page(run)
    assert text.count("not testable") >= len(Run.read(run).ledger)


def test_a_diverged_run_counts_as_worst(run):
    store = Store.writable(run)
    values = {**baseline_values(0), "l2_error": None}
    put(store, "baseline", {"method": "linear", **paired(1)}, values)
    store.close()
    (linear,) = [
        c for c in competitors(Run.read(run).results, "maxwell") if c.information == "samples"
    ]
    assert linear.seeds == 2
    assert linear.error is None


@pytest.mark.parametrize("command", [["report", "--html"], ["export", "--to", "csv"]])
def test_commands_name_their_files_as_json(run, capsys, command):
    assert invoke([command[0], str(run), *command[1:], "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files
    assert all(Path(file).is_file() for file in files)
