"""A kind of cell and a study, each one file, go through plan, run, status, export and report."""

import csv
import json
from types import SimpleNamespace

import pytest

from base.errors import UserError
from bench import studies
from bench.cells import Cell, is_timing, kinds
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import Store
from bench.store.results import Results
from reports.competitors import competitors, contested
from reports.sections.solve import work_precision

KIND = '''
    """The mean of the samples, the simplest competitor."""

    from __future__ import annotations

    from dataclasses import dataclass

    from bench.cells import Competitor, Result
    from bench.core.settings import setting


    @dataclass(frozen=True, kw_only=True)
    class Config:
        problem: str = setting("maxwell", help="The field.")
        samples: int = setting(100, min=2, help="Points.")
        seed: int = setting(0, min=0, help="Seed of the points.")


    ALONE = False
    TIMED = ("seconds", "flops_rate")


    def needs_bytes(config):
        return 2**20


    def competitor(config, values):
        return Competitor(
            title=f"mean of {config.samples}",
            series="means",
            family="guess",
            look="mean",
            information="TRACK",
            given="a few samples",
            inputs="x",
            unknowns=values["numbers"],
            tuned="nothing at all",
        )


    def run(config):
        import time

        import numpy as np

        from bench import problems

        start = time.perf_counter()
        problem = problems.get(config.problem)
        u = problem.u(problem.sample_cylinder(config.samples, config.seed))
        mean = u.mean(axis=1, keepdims=True)
        error = float(np.sqrt(((u - mean) ** 2).sum(axis=0).mean()))
        seconds = time.perf_counter() - start
        return Result({"l2_error": error, "numbers": 3, "seconds": seconds, "flops_rate": seconds})
'''
STUDY = '''
    """Means of ever more samples."""

    from __future__ import annotations

    from dataclasses import dataclass

    from bench.cells import Cell

    YIELDS = ("l2_error",)


    @dataclass(frozen=True)
    class Config:
        samples: tuple[int, ...] = (10, 100)
        seeds: tuple[int, ...] = (0, 1, 2)


    PRESETS = {"quick": Config(), "paper": Config(), "full": Config()}


    def cells(config):
        return [
            Cell("guess", {"samples": samples, "seed": seed})
            for samples in config.samples
            for seed in config.seeds
        ]
'''


def made(cell, values):
    return SimpleNamespace(kind=cell.kind, config=cell.config, values=values)


@pytest.fixture(params=["samples", "field", "equation"])
def guesses(dropped_in, request):
    """The track that the made-up kind plays in."""
    dropped_in("bench.cells", "guess", KIND.replace("TRACK", request.param))
    dropped_in("bench.studies", "guesses", STUDY)
    return request.param


def test_from_plan_to_report_without_another_edit(guesses, shell):
    listed = json.loads(shell.inside("list", "--json").stdout)
    assert "guesses" in listed["studies"]
    done = shell.inside(
        "run", "guesses", "--run", "mine", "--jobs", "0", "--no-report", "--set", "samples=5-6"
    )
    assert done.returncode == 0, done.stderr
    status = json.loads(shell.inside("status", "mine", "--json").stdout)
    assert status["counts"]["done"] == 6
    shell.inside("export", "mine", "--to", "csv")
    export = shell.directory / "runs/mine/export"
    rows = list(csv.DictReader((export / "cells.csv").open()))
    assert [row["samples"] for row in rows].count("5") == 3
    results = Results(list(Store(shell.directory / "runs/mine").records()))
    assert contested(results) == ["maxwell"]
    found = competitors(results, "maxwell")
    assert [(c.name, c.information, c.seeds, c.unknowns) for c in found] == [
        ("mean of 5", guesses, 3, 3),
        ("mean of 6", guesses, 3, 3),
    ]
    (legend,) = work_precision({"maxwell": found}).legends
    assert any(text.get_text().startswith("means") for text in legend.get_texts())


def test_it_is_in_the_report(dropped_in, shell):
    dropped_in("bench.cells", "guess", KIND.replace("TRACK", "samples"))
    dropped_in("bench.studies", "guesses", STUDY)
    shell.inside("run", "guesses", "--run", "mine", "--jobs", "0", "--no-report")
    done = shell.inside("report", "mine", "--html")
    assert done.returncode == 0, done.stderr
    (page,) = (shell.directory / "runs/mine").rglob("*.html")
    text = page.read_text()
    for words in ("means", "nothing at all"):
        assert words in text


def test_its_code_decides_whether_a_result_is_stale(dropped_in):
    dropped_in("bench.cells", "guess", KIND.replace("TRACK", "samples"))
    before = fingerprint_of(Cell("guess", {}))
    dropped_in("bench.cells", "guess", KIND.replace("TRACK", "equation"))
    assert fingerprint_of(Cell("guess", {})) != before


def test_it_says_what_measures_the_machine(dropped_in):
    dropped_in("bench.cells", "guess", KIND)
    assert is_timing("guess", "flops_rate")
    assert not is_timing("guess", "l2_error")


@pytest.mark.parametrize("lacking", ["Config", "ALONE", "TIMED", "competitor", "run"])
def test_a_kind_that_lacks_a_part_is_told_which(dropped_in, lacking):
    source = KIND.replace(f"{lacking} =", "_other =").replace(f"def {lacking}(", "def _other(")
    dropped_in("bench.cells", "guess", source.replace(f"class {lacking}", "class _Other"))
    with pytest.raises(UserError, match=f"not a kind of cell: it defines no {lacking}"):
        Cell("guess", {})


def test_a_track_that_does_not_exist_is_refused(dropped_in):
    dropped_in("bench.cells", "guess", KIND.replace("TRACK", "feild"))
    with pytest.raises(UserError, match="unknown information 'feild'; did you mean 'field'"):
        contested([made(Cell("guess", {}), {"numbers": 3})])


def test_a_kind_that_says_so_does_not_compete(dropped_in):
    source = KIND.replace("def competitor(", "def _shown(") + "\n    competitor = None\n"
    dropped_in("bench.cells", "guess", source)
    assert contested([made(Cell("guess", {}), {})]) == []


@pytest.mark.parametrize("lacking", ["PRESETS", "cells", "YIELDS"])
def test_a_study_that_lacks_a_part_is_told_which(dropped_in, lacking):
    source = STUDY.replace(f"{lacking} =", "_other =").replace(f"def {lacking}(", "def _other(")
    dropped_in("bench.studies", "guesses", source)
    with pytest.raises(UserError, match=f"not a study: it defines no {lacking}"):
        studies.load("guesses")


def test_nothing_is_left_behind():
    assert "guess" not in kinds()
    assert "guesses" not in studies.names()
