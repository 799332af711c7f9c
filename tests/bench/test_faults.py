"""What an overnight run may meet, done to it for real.

After each: no finished result is lost or wrong, the same command completes the run, and its
tables equal those of an undisturbed one.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from bench.core.plugins import admit
from bench.store.files import ARRAYS, CELL, SCHEMA, sealed
from bench.store.folder import Store
from bench.store.survey import counts, survey
from bench.studies import replanned

STUDY = admit("faultlab.study")
PATIENCE = 600  # seconds: only what hangs waits as long, however busy the machine
RUN = ("run", STUDY, "--run", "r", "--no-report")
HERE = (*RUN, "--jobs", "0")  # where the engine does not matter


def path_of(shell):
    return shell.directory / "runs/r"


def finished(shell):
    """The keys of finished cells and when they were written."""
    return {
        path.name: path.stat().st_mtime_ns
        for path in (path_of(shell) / "cells/faultlab.cell").glob("*")
    }


def wait_for(shell, process, cells, seconds=PATIENCE):
    """Waits until so many cells are finished."""
    end = time.monotonic() + seconds
    while len(finished(shell)) < cells and process.poll() is None:
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def assert_complete(shell, cells):
    """Every planned cell is done, and its numbers are those of an undisturbed run."""
    store = Store(path_of(shell))
    standings = survey(store, replanned(store.plans()), verify=True)
    assert counts(standings)["done"] == cells == len(standings)
    for standing in standings:
        config = standing.record.config
        expected = np.random.Generator(np.random.Philox(config["i"])).random(config["floats"])
        np.testing.assert_array_equal(standing.record.arrays["numbers"], expected)
        assert standing.record.values["mean"] == expected.mean()
        assert standing.record.weights().read_bytes() == expected.tobytes()


def assert_nothing_left_over(shell):
    assert not list((path_of(shell) / "locks").iterdir())
    assert not list((path_of(shell) / "scratch").iterdir())


def settings(**values):
    return [part for name, value in values.items() for part in ("--set", f"{name}={value}")]


def test_kill_9_of_the_whole_run(shell):
    slow = settings(cells=10, seconds=0.5)
    process = shell.start(*RUN, "--jobs", "2", *slow)
    wait_for(shell, process, 3)
    workers = psutil.Process(process.pid).children()
    process.kill()
    process.wait()
    before = finished(shell)
    assert 3 <= len(before) < 10
    _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
    assert not alive  # workers go with the run
    again = shell.femnets(*RUN, "--jobs", "2", *slow)
    assert again.returncode == 0, again.stderr
    after = finished(shell)
    assert {key: after[key] for key in before} == before  # not computed again
    assert_complete(shell, 10)
    assert_nothing_left_over(shell)


def test_kill_9_of_one_worker(shell):
    slow = settings(cells=8, seconds=0.3)
    process = shell.start(*RUN, "--jobs", "2", *slow)
    wait_for(shell, process, 2)
    psutil.Process(process.pid).children()[0].kill()
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "ended by SIGKILL" in err
    assert_complete(shell, 8)


def test_kills_at_random_moments(shell):
    """In-process and with workers in turn; the cells are quick, so that kills hit the writing.

    FEMNETS_KILLS sets how many.
    """
    kills = int(os.environ.get("FEMNETS_KILLS", "12"))
    moments = random.Random(7)
    drive = [sys.executable, "-m", "faultlab.drive", str(path_of(shell))]
    known = {}
    for kill in range(kills):
        jobs = "1" if kill % 3 == 0 else "0"
        process = shell.start("1500", jobs, command=drive)
        wait_for(shell, process, len(known) + 1)
        time.sleep(moments.uniform(0, 0.03))
        process.kill()
        process.wait()
        found = finished(shell)
        assert known.items() <= found.items()  # nothing finished was lost or computed again
        known = found
    assert len(known) >= kills
    assert shell.femnets("100", "0", command=drive).returncode == 0
    assert_complete(shell, 100)
    assert_nothing_left_over(shell)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_sigterm_abandons_and_ctrl_c_finishes_running_cells(shell, number):
    slow = settings(cells=6, seconds=1.0)
    process = shell.start(*RUN, "--jobs", "1", *slow)
    wait_for(shell, process, 1)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == (143 if number == signal.SIGTERM else 130)
    assert "the same command resumes" in err
    assert "Traceback" not in err
    assert ("again to stop at once" in err) == (number == signal.SIGINT)
    assert (1 if number == signal.SIGTERM else 2) <= len(finished(shell)) < 6
    assert_nothing_left_over(shell)
    assert shell.inside(*HERE, *settings(cells=2, seconds=1.0)).returncode == 0
    assert_complete(shell, 2)


@pytest.mark.parametrize("jobs", ["0", "1"])
def test_a_second_ctrl_c_stops_at_once(shell, jobs):
    process = shell.start(*RUN, "--jobs", jobs, *settings(cells=2, seconds=5000.0))
    locks = path_of(shell) / "locks"
    while not locks.exists() or not os.listdir(locks):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None  # the first lets the cell finish
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert_nothing_left_over(shell)


def test_a_full_disk(shell):
    """RLIMIT_FSIZE: arrays of the first cells fit, larger ones do not."""
    shell.inside(*HERE, *settings(cells=2))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    large = settings(cells=4, floats=10_000)
    full = shell.femnets(*HERE, *large, preexec_fn=limit)
    assert full.returncode == 1
    assert "cannot write results: File too large" in full.stderr
    assert "Traceback" not in full.stderr
    assert len(finished(shell)) == 2
    assert_nothing_left_over(shell)
    assert shell.inside(*HERE, *large).returncode == 0
    assert_complete(shell, 4)


def test_a_small_tmpfs(shell):
    """A disk of 1 MB, where this process may mount one."""
    place = shell.directory / "runs"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting needs more rights")
    try:
        full = shell.inside(*HERE, *settings(cells=8, floats=20_000))
        assert full.returncode == 1
        assert "No space left on device" in full.stderr
        assert "Traceback" not in full.stderr
        kept = len(finished(shell))
        assert 0 < kept < 8
        subprocess.run([*mount[:4], "remount,size=8m", *mount[5:]], check=True)
        assert shell.inside(*HERE, *settings(cells=8, floats=20_000)).returncode == 0
        assert_complete(shell, 8)
        assert len(finished(shell)) == 8
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("place", ["/proc/femnets/r", "a_file/r", "foreign/r"])
def test_a_store_that_cannot_be_written_is_one_line(shell, place):
    (shell.directory / "a_file").write_text("")
    (shell.directory / "foreign/r").mkdir(parents=True)
    (shell.directory / "foreign/r/thesis.tex").write_text("mine")
    done = shell.inside("run", STUDY, "--run", place, "--no-report")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert os.listdir(shell.directory / "foreign/r") == ["thesis.tex"]


def test_a_read_only_store_is_one_line_and_can_be_read(shell):
    shell.inside(*HERE)
    mount = ["mount", "--bind", str(path_of(shell)), str(path_of(shell))]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting needs more rights")
    try:
        remount = ["mount", "-o", "remount,bind,ro", str(path_of(shell))]
        subprocess.run(remount, check=True)
        done = shell.inside(*HERE, *settings(cells=20))
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "Read-only file system" in done.stderr
        status = shell.inside("status", "r", "--json")
        assert json.loads(status.stdout)["counts"]["done"] == 8
    finally:
        subprocess.run(["umount", str(path_of(shell))], check=True)


def test_cells_that_raise_hang_eat_memory_and_kill_their_worker(shell):
    shell.cue.write_text("")
    wicked = settings(cells=8, mischief="raise,hang,eat,die")
    limits = ["--jobs", "2", "--time-limit", "4", "--memory", "1"]
    failed = shell.femnets(*RUN, *limits, *wicked)
    assert failed.returncode == 1
    for message in (
        "ValueError: a cell that raises",
        "not done after 4 s",
        "MemoryError",
        "ended by SIGKILL",
    ):
        assert message in failed.stderr
    assert "Traceback" not in failed.stderr
    assert len(finished(shell)) == 4  # the others are done
    shell.cue.unlink()
    again = shell.inside(*HERE, *wicked)
    assert again.returncode == 1  # what raised would raise again, so it waits to be asked for
    assert len(finished(shell)) == 7
    assert shell.inside(*HERE, *wicked, "--only", "failed").returncode == 0
    assert_complete(shell, 8)


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_a_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 8
    path.write_bytes(data)


def empty(path):
    path.write_bytes(b"")


def age(path):
    """What an older femnets would have written."""
    document = json.loads((path.parent / CELL).read_bytes())
    del document["checksum"]
    (path.parent / CELL).write_bytes(sealed({**document, "schema": SCHEMA - 1}))


def test_damaged_files_are_named_and_computed_again(shell):
    shell.inside(*HERE)
    directories = sorted((path_of(shell) / "cells/faultlab.cell").iterdir())
    harmed = {
        directories[0] / CELL: truncate,
        directories[1] / CELL: flip_a_bit,
        directories[2] / CELL: empty,
        directories[3] / ARRAYS: truncate,
        directories[4] / ARRAYS: flip_a_bit,
        directories[5] / "net.safetensors": empty,
        directories[6] / CELL: age,
    }
    for path, harm in harmed.items():
        harm(path)
    before = finished(shell)
    status = json.loads(shell.inside("status", "r", "--verify", "--json").stdout)
    reasons = {cell["key"]: cell["reason"] for cell in status["cells"]}
    assert status["counts"]["missing"] == 7
    for path in harmed:
        assert path.name in reasons[path.parent.name]
    assert f"schema {SCHEMA - 1}" in reasons[directories[6].name]
    assert shell.inside(*HERE).returncode == 0
    assert_complete(shell, 8)
    assert finished(shell)[directories[7].name] == before[directories[7].name]


def test_two_runs_on_one_store_at_once(shell):
    slow = settings(cells=12, seconds=0.1)
    both = [shell.start(*RUN, "--jobs", "1", *slow) for _ in range(2)]
    for process in both:
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    assert_complete(shell, 12)
    assert_nothing_left_over(shell)


def test_a_run_copied_from_elsewhere_is_taken_as_it_is(shell):
    shell.inside(*HERE)
    shutil.copytree(path_of(shell), shell.directory / "runs/copy")
    again = shell.inside("run", STUDY, "--run", "copy", "--no-report")
    assert again.returncode == 0
    copied = {
        p.name: p.stat().st_mtime_ns for p in (shell.directory / "runs/copy/cells").glob("*/*")
    }
    assert copied == finished(shell)


@pytest.mark.parametrize("schema", [SCHEMA - 1, SCHEMA + 1])
def test_a_run_of_another_femnets_is_refused(shell, schema):
    shell.inside(*HERE)
    (path_of(shell) / "femnets.json").write_bytes(sealed({"schema": schema}))
    for arguments in (HERE, ("status", "r")):
        done = shell.inside(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert f"schema {schema}, this femnets reads {SCHEMA}" in done.stderr
        assert "compute it again under another name with --run" in done.stderr
