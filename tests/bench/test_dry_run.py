"""`femnets run --dry-run`: cells, memory and predicted time, and nothing is computed."""

import json

import pytest

from bench.cells import Cell, Result
from bench.cli import invoke
from bench.store.files import encoded
from bench.store.fingerprint import fingerprint
from bench.store.folder import Store

SIZES = ("convergence", "--preset", "quick", "--set", "n=1,2,4", "--set", "problems=maxwell")


def told(capsys, *arguments):
    assert invoke(["run", *SIZES, "--set", "elements=N0", "--dry-run", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commit(run, sizes, seconds):
    """Results of the study's cells as if they had been computed."""
    store = Store.writable(run)
    store.plan("convergence", {"study": "convergence", "preset": "quick", "config": {}})
    for n in sizes:
        cell = Cell("fem", {"n": n})
        where = {"seconds": seconds * n}
        store.commit(cell, encoded(cell, Result({"n": n}), fingerprint("fem"), where))
    store.close()


def test_without_any_run_times_are_unknown_and_nothing_is_written(here, capsys):
    found = told(capsys)
    assert (found["cells"], found["done"], found["seconds"], found["unknown"]) == (3, 0, None, 3)
    assert found["memory_bytes"] > 0
    assert list(here.iterdir()) == []


def test_times_are_those_of_the_same_cells_or_of_their_kind(here, capsys):
    commit(here / "runs" / "other", (1, 2), seconds=10.0)
    found = told(capsys, "--jobs", "1")
    (study,) = found["studies"]
    assert (study["guessed"], study["unknown"]) == (1, 0)
    assert study["seconds"] == 10 + 20 + 15  # n = 4 by the median of its kind
    assert found["wall_seconds"] == found["seconds"]
    assert told(capsys, "--jobs", "3")["wall_seconds"] == pytest.approx(15)


def test_what_the_run_has_costs_nothing(here, capsys):
    commit(here / "runs" / "mine", (1, 2, 4), seconds=10.0)
    found = told(capsys, "--run", "mine")
    assert (found["done"], found["seconds"]) == (3, 0)


def test_a_terminal_sees_it_within_80_columns(here, capsys):
    assert invoke(["run", *SIZES, "--dry-run"]) == 0
    text = capsys.readouterr().out
    assert "nothing was run" in text
    assert max(map(len, text.splitlines())) <= 80
