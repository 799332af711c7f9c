"""Sections about trained nets, from tiny trainings made on the spot."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from records import computed

from bench.cells import Cell
from reports.context import Run
from reports.document import NO_CURVES, Missing, Picture, Table
from reports.sections import make, optimizers, training

TINY = {"hidden": 2, "width": 4, "samples": 40}


def made(kind, study, **config):
    return SimpleNamespace(record=computed(Cell(kind, config)), studies=(study,))


@pytest.fixture(scope="module")
def run():
    seeds = [{"seed": seed, "data_seed": seed} for seed in (0, 1, 2)]
    racers = ("steepest", "ssbfgs")
    standings = [
        *(made("net", "optimizers", optimizer=o, evaluations=30.0, **s, **TINY)
          for o in racers for s in seeds),
        *(made("net", "training", optimizer="steepest", steps=8, tau=tau, bias_ordering=b, **s,
               **TINY) for tau in ("fixed", "learned") for b in (False, True) for s in seeds),
        *(made("baseline", "baselines", method="quadratic", samples=s) for s in (40, 200)),
    ]  # fmt: skip
    plans = {study: {"preset": "quick"} for study in ("optimizers", "training")}
    return Run("tiny", plans, standings)


def blocks(section, kind):
    return [block for block in section.blocks if isinstance(block, kind)]


def test_the_race_has_two_panels_and_a_row_per_optimiser(run):
    section = make(optimizers, run)
    (table,) = blocks(section, Table)
    assert [(row[0], row[1]) for row in table.rows] == [("steepest", 3), ("ssbfgs", 3)]
    (picture,) = blocks(section, Picture)
    assert len(picture.draw().axes) == 2


def test_the_papers_nets_have_two_figures_and_a_row_per_variant(run):
    section = make(training, run)
    curves, gradients = blocks(section, Picture)
    assert [axes.get_title(loc="left") for axes in curves.draw().axes] == ["2-4"]
    assert len(gradients.draw().axes) == 1
    (table,) = blocks(section, Table)
    assert len(table.rows) == 4
    assert [row[-3 - 6] for row in table.rows] == [3] * 4


@pytest.mark.parametrize("module", [optimizers, training])
def test_results_from_a_file_have_a_table_and_no_curves(run, module):
    bare = [
        SimpleNamespace(record=replace(record, arrays={}), studies=(module.STUDY,))
        for record in run.results_of(module.STUDY)
    ]
    section = make(module, Run("bare", run.plans, bare))
    assert not blocks(section, Picture)
    assert blocks(section, Table)
    assert NO_CURVES in section.blocks


def test_studies_without_results_leave_a_gap(run):
    empty = Run("empty", run.plans, [])
    for module in (optimizers, training):
        assert blocks(make(module, empty), Missing)
    assert make(optimizers, Run("other", {}, [])) is None
