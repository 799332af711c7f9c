"""The loop and its engines: everything once, within memory, timing alone, failures told."""

import io
import itertools
import os
import signal
import subprocess
import threading
from datetime import datetime

import numpy as np
import pytest

from base.errors import UserError
from bench.cells import Cell
from bench.runner.in_process import InProcess
from bench.runner.interrupt import ABANDON, FINISH, Interrupt, interruptible
from bench.runner.local_processes import LocalProcesses
from bench.runner.progress import RunView, duration
from bench.runner.resume import in_order, run_cells
from bench.store.folder import Store
from bench.store.survey import standing, survey
from bench.studies import plan, replanned

GIB = 2**30


def lab(i, **config):
    return Cell("faultlab.cell", {"i": i, **config})


@pytest.fixture
def store(tmp_path):
    store = Store.writable(tmp_path / "run")
    yield store
    store.close()


@pytest.fixture
def cue(tmp_path, monkeypatch):
    path = tmp_path / "cue"
    path.write_text("misbehave")
    monkeypatch.setenv("FAULTLAB_CUE", str(path))
    return path


@pytest.fixture
def quiet():
    return RunView([], io.StringIO())


def run(cells, store, engine, view=None, interrupt=None):
    view = view or RunView(cells, io.StringIO())
    try:
        return run_cells(cells, store, engine, view, interrupt or Interrupt())
    finally:
        engine.close()


def spans(store, cells):
    """When each cell began and ended, by its provenance."""
    for cell in cells:
        story = store.read(cell).provenance
        begin = datetime.fromisoformat(story["start"]).timestamp()
        yield begin, begin + story["seconds"]


def overlap(first, second):
    slack = 0.002  # `start` is kept in milliseconds
    return first[0] + slack < second[1] and second[0] + slack < first[1]


@pytest.mark.parametrize("engine", [InProcess(), LocalProcesses(2, 8 * GIB)])
def test_engines_agree_to_the_bit(store, engine):
    cells = [lab(i) for i in range(6)]
    summary = run(cells, store, engine)
    assert set(summary.states.values()) == {"done"}
    for i, cell in enumerate(cells):
        record = store.read(cell)
        expected = np.random.Generator(np.random.Philox(i)).random(20)
        np.testing.assert_array_equal(record.arrays["numbers"], expected)
        assert record.weights().read_bytes() == expected.tobytes()
        assert record.provenance["threads"] == 1
        assert record.provenance["versions"]["numpy"] == np.__version__
        assert record.provenance["peak_bytes"] > 2**20


def test_a_cell_named_twice_is_computed_once(store):
    summary = run([lab(1), lab(1)], store, InProcess())
    assert list(summary.states) == [lab(1)]


def test_workers_persist_and_cells_share_them(store):
    engine = LocalProcesses(1, 8 * GIB)
    seen = []
    view = RunView([], io.StringIO())
    view.settled = lambda *_: seen.append(engine.workers[0].process.pid)
    run([lab(i) for i in range(5)], store, engine, view)
    assert len(set(seen)) == 1


def test_the_time_left_goes_by_kind():
    """Two slow cells done and a hundred quick ones to come: seconds, not hours."""
    slow = [Cell("net", {"steps": 1, "seed": seed}) for seed in range(4)]
    quick = [Cell("slips", {"seed": k}) for k in range(100)]
    view = RunView([*slow, *quick], io.StringIO())
    for cell, seconds in ((slow[0], 30.0), (slow[1], 29.0), (quick[0], 0.1)):
        view.settled(cell, "done", seconds)
    two_at_a_time = (30 + 29 + 0.1) / 30
    expected = (2 * 29.5 + 99 * 0.1) / two_at_a_time
    assert view.seconds_left(30.0) == pytest.approx(expected)


def test_one_of_each_kind_comes_first_then_the_large_ones():
    cells = [Cell("fem", {"n": n}) for n in (1, 2, 64)] + [Cell("net", {"steps": 1})]
    ordered = in_order(cells)
    assert {cell.kind for cell in ordered[:2]} == {"fem", "net"}
    assert ordered[2].config["n"] == 64
    assert sorted(cell.key for cell in ordered) == sorted(cell.key for cell in cells)


def test_cells_that_do_not_fit_together_do_not_meet(store):
    cells = [lab(i, gib=5.0, seconds=0.15) for i in range(3)]
    run(cells, store, LocalProcesses(2, 8 * GIB))
    times = sorted(spans(store, cells))
    assert not any(overlap(a, b) for a, b in itertools.pairwise(times))


def test_small_cells_pass_a_large_one(store):
    large = [lab(i, gib=5.0, seconds=0.4) for i in range(2)]
    small = [lab(i, seconds=0.05) for i in range(2, 5)]
    run(large + small, store, LocalProcesses(2, 8 * GIB))
    ends = {cell: end for cell, (_, end) in zip(large + small, spans(store, large + small))}  # noqa: B905
    assert max(ends[cell] for cell in small) < max(ends[cell] for cell in large)


def test_timing_cells_run_alone_with_their_threads(store):
    clocks = [Cell("faultlab.clock", {"i": i, "threads": i + 1}) for i in range(2)]
    others = [lab(i, seconds=0.1) for i in range(3)]
    run(clocks + others, store, LocalProcesses(2, 8 * GIB))
    measured, rest = list(spans(store, clocks)), list(spans(store, others))
    assert not any(overlap(a, b) for a in measured for b in rest)
    assert not overlap(*measured)
    assert [store.read(cell).values["threads_told"] for cell in clocks] == [1, 2]
    assert store.read(clocks[1]).provenance["threads"] == 2


def test_a_cell_that_raises_fails_with_its_log_and_the_others_go_on(store, cue):
    cells = [lab(0), lab(1, mischief="raise"), lab(2)]
    summary = run(cells, store, LocalProcesses(1, 8 * GIB))
    assert summary.states == {cells[0]: "done", cells[1]: "failed", cells[2]: "done"}
    failure = store.failure(cells[1])
    assert failure["error"] == "ValueError: a cell that raises"
    assert "said before the end" in failure["log"]
    assert "Traceback" in failure["log"]
    now = standing(store, cells[1])
    assert (now.state, now.wants_computing) == ("failed", False)


def test_a_diverged_cell_is_a_result(store):
    cell = lab(0, mischief="diverge")
    assert run([cell], store, InProcess()).states == {cell: "diverged"}
    assert standing(store, cell).state == "diverged"


@pytest.mark.parametrize("engine", [InProcess(1.0), LocalProcesses(1, 8 * GIB, 1.0)])
def test_a_cell_that_hangs_is_given_up(store, cue, engine):
    cells = [lab(0, mischief="hang"), lab(1)]
    summary = run(cells, store, engine)
    assert summary.states == {cells[0]: "failed", cells[1]: "done"}
    failure = store.failure(cells[0])
    assert failure["reason"] == "time limit"
    if isinstance(engine, LocalProcesses):
        assert "in hangs" in failure["log"]  # where it hung
    cue.unlink()
    assert standing(store, cells[0]).wants_computing
    run([cells[0]], store, InProcess())
    assert standing(store, cells[0]).state == "done"


@pytest.mark.parametrize(
    ("mischief", "memory", "reason"), [("eat", GIB, "memory"), ("die", 8 * GIB, "killed")]
)
def test_a_cell_that_eats_memory_or_always_kills_its_worker_fails_alone(
    store, cue, mischief, memory, reason
):
    cells = [lab(0, mischief=mischief), lab(1)]
    summary = run(cells, store, LocalProcesses(1, memory))
    assert summary.states == {cells[0]: "failed", cells[1]: "done"}
    assert store.failure(cells[0])["reason"] == reason


def test_a_killed_worker_is_replaced_and_its_cell_tried_again(store, cue):
    cells = [lab(0, mischief="die once"), lab(1)]
    stream = io.StringIO()
    summary = run(cells, store, LocalProcesses(1, 8 * GIB), RunView(cells, stream))
    assert set(summary.states.values()) == {"done"}
    assert "SIGKILL" in stream.getvalue()


def test_a_worker_that_keeps_much_memory_is_replaced(store, monkeypatch):
    monkeypatch.setattr("bench.runner.local_processes.KEPT_SHARE", 0.0)
    engine = LocalProcesses(1, 8 * GIB)
    pids = []
    view = RunView([], io.StringIO())
    view.started = lambda cell: pids.append(engine.workers[0].process.pid)
    assert set(run([lab(i) for i in range(3)], store, engine, view).states.values()) == {"done"}
    assert len(set(pids)) == 3


def test_a_first_interrupt_finishes_running_cells_a_second_abandons_them(store):
    for level, finished in ((FINISH, 1), (ABANDON, 0)):
        cells = [lab(10 * level + i, seconds=0.5) for i in range(4)]
        interrupt = Interrupt()
        view = RunView(cells, io.StringIO())
        view.started = lambda cell, i=interrupt, level=level: setattr(i, "level", level)
        summary = run(cells, store, LocalProcesses(1, 8 * GIB), view, interrupt)
        assert summary.interrupted
        assert list(summary.states.values()) == ["done"] * finished


def test_signals_raise_the_level():
    with interruptible() as interrupt:
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.level == FINISH
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.level == ABANDON
    with interruptible() as interrupt:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupt.level == ABANDON


def test_two_runs_share_the_cells(store, tmp_path):
    cells = [lab(i, seconds=0.05) for i in range(8)]
    other = Store.writable(store.path)
    counted = []

    def compute(own):
        view = RunView([], io.StringIO())
        view.started = counted.append
        run(cells, own, LocalProcesses(1, 8 * GIB), view)

    threads = [threading.Thread(target=compute, args=(own,)) for own in (store, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert sorted(cell.config["i"] for cell in counted) == list(range(8))
    assert all(standing(store, cell).state == "done" for cell in cells)


def test_changed_code_makes_a_cell_stale(store, monkeypatch):
    run([lab(0)], store, InProcess())
    monkeypatch.setattr("bench.store.survey.fingerprint_of", lambda cell: "newer")
    now = standing(store, lab(0))
    assert (now.state, now.wants_computing) == ("stale", False)
    assert now.record is not None


def test_shared_cells_are_surveyed_once(store):
    one = plan(["faultlab.study"], "quick", {})[0]
    two = replanned({"faultlab.study": one.document()})[0]
    standings = survey(store, [one, two])
    assert len(standings) == len(one.cells)
    assert {s.state for s in standings} == {"missing"}


def test_a_plan_of_another_version_is_refused_with_the_remedy():
    document = plan(["faultlab.study"], "quick", {})[0].document()
    document["config"]["gone"] = 1
    with pytest.raises(UserError, match=r"another version of the code.*run study faultlab\.study"):
        replanned({"faultlab.study": document})


def test_a_log_has_counts_rate_and_failures():
    stream = io.StringIO()
    with RunView([lab(i) for i in range(4)], stream) as view:
        view.began -= 10
        view.started(lab(0))
        view.settled(lab(0), "done", 5.0)
        view.started(lab(1))
        view.settled(lab(1), "failed", 5.0, "no luck")
        view.tick(0)
    assert "failed: faultlab.cell i=1: no luck" in stream.getvalue()
    assert "1/4 done, 1 failed, 5.0 s per cell, 10 s left" in stream.getvalue()


def test_a_terminal_sees_one_line_with_what_runs():
    stream = io.StringIO()
    stream.isatty = lambda: True
    with RunView([lab(3), lab(4)], stream) as view:
        view.started(lab(3))
        view.tick(0)
        assert stream.getvalue().startswith("\r0/2 done, 1 running; faultlab.cell i=3")
        assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith("\r0/2 done, 1 running\n")


def test_durations():
    assert [duration(s) for s in (5, 65, 3700)] == ["5 s", "1 min 05 s", "1 h 01 min"]


def test_a_session_says_when_and_how_busy_the_machine_was_else(store):
    cells = [lab(i, seconds=0.1) for i in range(2)]
    run(cells, store, LocalProcesses(1, 8 * GIB))
    (session,) = store.sessions()
    assert session["cells"] == 2
    assert session["seconds"] >= 0.2
    assert session["other_cores"] >= 0
    run(cells, store, LocalProcesses(1, 8 * GIB))
    assert len(store.sessions()) == 1, "where nothing was computed there was no session"
    run([lab(2)], store, InProcess())
    assert [session["cells"] for session in store.sessions()] == [2, 1]


def test_damaged_sessions_are_none(store):
    run([lab(0)], store, InProcess())
    (path,) = (store.path / "sessions").iterdir()
    path.write_bytes(path.read_bytes().replace(b'"cells": 1', b'"cells": 2'))
    assert store.sessions() == []


def test_timing_cells_record_other_work_and_only_they(store):
    clock, other = Cell("faultlab.clock", {"i": 0}), lab(0, seconds=0.1)
    run([clock, other], store, LocalProcesses(1, 8 * GIB))
    assert store.read(clock).provenance["other_cores"] >= 0
    assert "other_cores" not in store.read(other).provenance


def test_results_name_the_commit_of_the_checkout(tmp_path, monkeypatch):

    from bench.store import provenance

    assert (provenance.ROOT / "bench").is_dir(), "the checkout, not the package"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    (tmp_path / "file").write_text("1")
    for words in (["init", "-q"], ["add", "file"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    told = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert provenance.commit.__wrapped__() == told.stdout.strip()
    (tmp_path / "file").write_text("2")
    assert provenance.commit.__wrapped__() == told.stdout.strip() + "+"


def test_workers_import_nothing_from_the_working_folder(store, tmp_path, monkeypatch):
    """`python -m` looks there first, and a user's nets.py, or somebody's json.py, may lie there."""
    for name in ("json.py", "nets.py", "torch.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    summary = run([lab(0)], store, LocalProcesses(jobs=1, memory_bytes=0))
    assert summary.states == {lab(0): "done"}
