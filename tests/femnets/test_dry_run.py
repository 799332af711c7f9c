"""`femnets run --dry-run`: cells, memory and predicted time, and nothing is computed."""

import re

import pytest

from bench.cells import Cell, Result, paired
from bench.store.files import StoredResult, encoded
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import Store
from bench.store.parquet import write_results

MACHINE = {"processor": "a slow one", "cores": 2, "memory_gib": 4, "system": "any"}

SIZES = ("convergence", "--preset", "quick", "--set", "n=1,2,4", "--set", "problems=maxwell")


def predicted(cli, *arguments):
    return cli.json("run", *SIZES, "--set", "elements=N0", "--dry-run", *arguments)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, and a femnets that came without a kept run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bench.store.forecast.ROOT", tmp_path)
    return tmp_path


def commit(run, sizes, seconds):
    """Results of the study's cells as if they had been computed."""
    store = Store.writable(run)
    store.plan("convergence", {"study": "convergence", "preset": "quick", "config": {}})
    for n in sizes:
        cell = Cell("fem", {"n": n})
        where = {"seconds": seconds * n}
        store.commit(cell, encoded(cell, Result({"n": n}), fingerprint_of(cell), where))
    store.close()


def test_without_any_run_times_are_unknown_and_nothing_is_written(here, cli):
    found = predicted(cli)
    assert (found["cells"], found["done"], found["seconds"], found["unknown"]) == (3, 0, None, 3)
    assert found["memory_bytes"] > 0
    assert list(here.iterdir()) == []


def test_times_are_those_of_the_same_cells_or_the_median_of_the_kind(here, cli):
    commit(here / "runs" / "other", (1, 2), seconds=10.0)
    found = predicted(cli, "--jobs", "1")
    (study,) = found["studies"]
    assert (study["guessed"], study["unknown"]) == (1, 0)
    expected = 10 + 20 + 15  # n = 1, 2 as before, n = 4 by the median
    assert study["seconds"] == expected
    assert found["wall_seconds"] == found["seconds"]
    assert predicted(cli, "--jobs", "3")["wall_seconds"] == expected / 3


KEPT = []


def keep(here, kind, seconds, **config):
    """A kept file with one cell in it, as a fresh clone has one with many."""
    KEPT.clear()
    keep_more(here, kind, seconds, **config)


def keep_more(here, kind, seconds, values=None, **config):
    cell = Cell(kind, config)
    story = {"seconds": 99.0, "cpu_seconds": seconds, "machine": MACHINE, "versions": {}}
    record = StoredResult(
        kind, dict(cell.config), cell.key, "done", values or {}, "f", story, {}, here / "nowhere"
    )
    path = here / "docs" / "paper" / "results.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    KEPT.append(("paper", ("training",), record))
    write_results(path, KEPT)


def training(cli, *settings):
    given = [part for setting in settings for part in ("--set", setting)]
    one = [w for s in ("nets=resnet", "taus=fixed", "bias_ordering=no") for w in ("--set", s)]
    return cli.json("run", "training", "--preset", "paper", *one, *given, "--dry-run")


def test_a_fresh_machine_predicts_from_the_kept_run(here, cli):
    paper = {"hidden": 2, "width": 50, "optimizer": "steepest", "precision": "float32"}
    keep(here, "net", 30.0, net="resnet", tau="fixed", steps=1000, **paper, **paired(1000))
    same = training(cli, "seeds=1000,1001", "hidden=2")
    (study,) = same["studies"]
    assert (study["seconds"], study["guessed"], study["unknown"]) == (60, 1, 0)
    assert same["machines"] == ["a slow one, 2 cores, 4 GiB"]
    text = cli("run", "training", "--preset", "paper", "--dry-run").out
    assert "times measured on a slow one, 2 cores, 4 GiB" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.fixture
def mine(here):
    (here / "mine.py").write_text(
        "from dataclasses import replace\nfrom bench.problems.maxwell import PROBLEM\n"
        "PROBLEM = replace(PROBLEM, title='mine')\n"
    )
    KEPT.clear()
    return here


def test_a_small_trial_does_not_mislead(mine, cli):
    """Nets of 3 steps, 1 % of whose time is training, come before `training` on a problem of
    one's own: 37 CPU s measured, 3100 s predicted by 0.2.0. What is unknown is said in the sum."""
    small = {"steps": 3, "width": 5, "hidden": 2, "samples": 50}
    for seed in range(3):
        keep_more(mine, "net", 0.25, {"seconds": 1.0}, **small, **paired(seed))
    found = cli.json("run", "training", "--problem", "./mine.py", "--dry-run")
    assert found["cells"] == 16
    assert 3.7 < found["seconds"] < 370
    said = cli("run", "training", "elements", "--problem", "./mine.py", "--dry-run").out
    assert re.search(r"about . s on . cores without \d+ of unknown", said)


def test_a_problem_of_ones_own_takes_the_time_of_others_per_evaluation(mine, cli):
    """The median of all nets, here 1 s, says nothing about nets of ten times the budget."""
    for seed, evaluations, seconds in ((0, 100, 1.0), (1, 100, 1.0), (2, 2000, 20.0)):
        keep_more(mine, "solved_net", seconds, width=8, evaluations=evaluations, **paired(seed))
    words = ["--set", "width=8", "--set", "best_evaluations=4000", "--set", "variants_on="]
    for name in ("n0", "n1", "orders", "features", "projected_seeds", "spaces"):
        words += ["--set", f"{name}="]
    words += ["--problem", "./mine.py"]
    (study,) = cli.json("run", "solve", *words, "--dry-run", "--jobs", "1")["studies"]
    assert (study["cells"], study["seconds"]) == (1, pytest.approx(40.0))


def test_runs_here_come_before_the_kept_one(here, cli):
    keep(here, "fem", 1.0, n=4)
    commit(here / "runs" / "other", (1, 2), seconds=10.0)
    found = predicted(cli, "--jobs", "1")
    assert found["seconds"] == 10 + 20 + 1, "a cell that is known beats the median"


def test_timing_cells_have_the_machine_to_themselves(here, cli):
    keep(here, "family_solve", 8.0, element="none")
    chosen = ("dimension=1", "errors=", "nets=", "queries=16")
    given = [part for setting in chosen for part in ("--set", setting)]
    found = cli.json("run", "families", *given, "--dry-run", "--jobs", "4")
    (study,) = found["studies"]
    assert study["alone_seconds"] == study["seconds"] == found["wall_seconds"] == 8 * 3


@pytest.mark.parametrize("data", [b"", b"no parquet"])
def test_a_damaged_kept_run_predicts_nothing(here, cli, data):
    keep(here, "fem", 1.0, n=4)
    (here / "docs" / "paper" / "results.parquet").write_bytes(data)
    assert predicted(cli)["seconds"] is None


def test_what_the_run_has_costs_nothing(here, cli):
    commit(here / "runs" / "mine", (1, 2, 4), seconds=10.0)
    found = predicted(cli, "--run", "mine")
    assert (found["done"], found["seconds"]) == (3, 0)


def test_a_terminal_sees_it_within_80_columns(here, cli):
    text = cli("run", *SIZES, "--dry-run").out
    assert "nothing was run" in text
    assert max(map(len, text.splitlines())) <= 80
