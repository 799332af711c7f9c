"""What the harness costs: a cell's overhead, `status` on many cells, a fully cached run."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from turns import median_with_interval

from bench.cells import Cell, Result
from bench.runner.interrupt import Interrupt
from bench.runner.local_processes import LocalProcesses
from bench.runner.progress import RunView
from bench.runner.resume import run_cells
from bench.store.files import encoded
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import Store
from bench.store.survey import counts, survey
from bench.studies import plan

GROUP = "harness"

STUDY = "faultlab.study"


@pytest.fixture(autouse=True)
def fault_lab(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "bench"))
    yield
    for name in [name for name in sys.modules if name.startswith("faultlab")]:
        del sys.modules[name]


def test_overhead_of_1000_trivial_cells(measured, tmp_path):
    """Aimed at 20 ms per cell: persistent workers, everything written to the store."""
    cells = [Cell("faultlab.cell", {"i": i}) for i in range(1000)]
    stores = iter([Store.writable(tmp_path / str(k)) for k in range(3)])

    def run():
        store, engine = next(stores), LocalProcesses(2, 2**33)
        view = RunView(cells, io.StringIO())
        summary = run_cells(cells, store, engine, view, Interrupt())
        assert set(summary.states.values()) == {"done"}
        store.close()

    measured.benchmark.pedantic(run, rounds=3)
    overhead = median_with_interval(np.array(measured.benchmark.stats.stats.data) / len(cells))
    measured.info.update(cells=len(cells))
    measured.target("seconds per cell", overhead, at_most=0.020)


def test_status_of_10000_cells(measured, tmp_path):
    """Aimed at 2 s, as `femnets status` surveys them."""
    plans = plan([STUDY], "quick", {STUDY: {"cells": 10_000}})
    store = Store.writable(tmp_path / "run")
    code = fingerprint_of(plans[0].cells[0])
    for cell in plans[0].cells:
        result = Result({"i": cell.config["i"], "mean": 0.5})
        store.commit(cell, encoded(cell, result, code, {"seconds": 0.0}), sync=False)
    store.plan(STUDY, plans[0].document())
    standings = measured.benchmark.pedantic(survey, (store, plans), rounds=3)
    store.close()
    assert counts(standings)["done"] == 10_000
    measured.info.update(cells=10_000)
    seconds = median_with_interval(measured.benchmark.stats.stats.data)
    measured.target("seconds of a survey", seconds, at_most=2)
