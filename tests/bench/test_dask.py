"""A real cluster: one scheduler and two workers, started here, one of them killed mid-cell."""

import os
import signal
import socket
import sys
import time

import pytest

from bench.core.plugins import admit
from bench.store.folder import Store
from bench.store.survey import counts, survey
from bench.studies import replanned
from femnets import cli

pytest.importorskip("distributed")
STUDY = admit("faultlab.study")
SETTINGS = ["--set", "cells=10", "--set", "seconds=0.4", "--no-report"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def cluster(shell):
    """The scheduler's address and the process ids of two workers of one thread each."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}
    shell.environment.update(quiet)
    shell.start(
        "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", command=dask
    )
    shell.scheduler = shell.started[-1]
    worker = ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    return address, [shell.start(*worker, command=dask) for _ in range(2)]


def tables(path):
    """Everything but provenance: values, arrays and weights, by key."""
    return {
        record.key: (
            record.values,
            {name: array.tobytes() for name, array in record.arrays.items()},
            record.weights().read_bytes(),
        )
        for record in Store(path).records()
    }


def wait_until(condition, seconds=600):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture
def far(shell, cluster):
    """The process of a run of ten cells on the cluster, with two of them done."""
    run = shell.start("run", STUDY, "--run", "far", "--scheduler", cluster[0], *SETTINGS)
    cells = shell.directory / "runs/far/cells/faultlab.cell"
    wait_until(lambda: cells.is_dir() and len(os.listdir(cells)) >= 2)
    return run


def all_are_done(shell):
    store = Store(shell.directory / "runs/far")
    return counts(survey(store, replanned(store.plans()), verify=True))["done"] == 10


def test_a_worker_killed_mid_cell_changes_nothing(shell, cluster, far):
    cluster[1][0].send_signal(signal.SIGKILL)
    _, err = far.communicate(timeout=600)
    assert far.returncode == 0, err
    near = shell.femnets("run", STUDY, "--run", "near", "--jobs", "2", *SETTINGS)
    assert near.returncode == 0, near.stderr
    assert tables(shell.directory / "runs/far") == tables(shell.directory / "runs/near")
    assert all_are_done(shell)


def test_a_scheduler_that_dies_releases_locks_and_the_run_resumes(shell, far):
    shell.scheduler.kill()
    _, err = far.communicate(timeout=600)
    assert far.returncode == 1, err
    assert "no longer answers" in err
    assert "the same command resumes" in err
    assert "Traceback" not in err
    assert not os.listdir(shell.directory / "runs/far/locks")
    again = shell.inside("run", STUDY, "--run", "far", "--jobs", "0", *SETTINGS)
    assert again.returncode == 0, again.stderr
    assert all_are_done(shell)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:{}", "tls://127.0.0.1:1", "ucx://a:1", "tcp://", "nowhere"]
)
def test_an_address_that_cannot_be_connected_is_one_line(tmp_path, monkeypatch, capsys, address):
    """TLS without certificates was a TypeError from inside Dask."""
    address = address.format(free_port())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bench.runner.dask_cluster.CONNECT_SECONDS", 1)
    assert cli.invoke(["run", STUDY, "--scheduler", address]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"no Dask scheduler answers at {address}" in said
    assert not (tmp_path / "runs").exists()


def test_a_scheduler_that_goes_while_workers_are_awaited_is_one_line(tmp_path, monkeypatch, capsys):
    class Client:
        def __init__(self, *_, **__):
            pass

        def nthreads(self):
            return {}

        def wait_for_workers(self, *_, **__):
            raise RuntimeError("IOLoop is closed")

        def close(self, **_):
            raise OSError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("distributed.Client", Client)
    assert cli.invoke(["run", STUDY, "--scheduler", "tcp://127.0.0.1:1"]) == 2
    waiting, gone = capsys.readouterr().err.splitlines()
    assert "waiting up to 60 s for a worker" in waiting
    assert "lost the Dask scheduler" in gone
