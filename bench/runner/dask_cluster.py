"""Cells on a Dask cluster (extra `cluster`): `femnets run --scheduler tcp://HOST:PORT`.

On one machine, in three terminals of a checkout:

    dask scheduler
    dask worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 1
    femnets run --preset paper --scheduler tcp://127.0.0.1:8786

Under Slurm, with dask-jobqueue, the same `femnets run` talks to the scheduler this starts:

    from dask_jobqueue import SLURMCluster
    cluster = SLURMCluster(cores=1, memory="8GB", walltime="12:00:00")
    cluster.scale(jobs=40)
    print(cluster.scheduler_address)

Workers need femnets installed, not a shared disk: results travel to the run, which writes them.
Each Dask thread keeps one child process of the kind a local run uses, so that limits, threads
and results are the same here and there. A cell is pinned to one worker; if that is lost, the
run starts the cell again somewhere else.
"""

from __future__ import annotations

import gc
import logging
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from base.errors import UserError
from bench.cells import Cell, needs_bytes, threads_of
from bench.core.guards.text import shell_command
from bench.core.plugins import admit
from bench.runner.execute import Outcome, failed
from bench.runner.local_processes import LocalProcesses
from bench.runner.resume import Lost
from bench.store.fingerprint import fingerprint_of

CONNECT_SECONDS = 5
WORKER_SECONDS = 60
LOOK_SECONDS = 0.5  # between queries for the current workers
CLOSE_SECONDS = 5
# Exceptions of Dask if the scheduler is lost: CommClosedError is an OSError.
GONE = (OSError, TimeoutError, CancelledError, RuntimeError, ValueError)


@dataclass
class Remote:
    """A Dask worker and the cells that it computes."""

    threads: int
    memory_bytes: int
    cells: dict[Cell, Any] = field(default_factory=dict)  # the future of each

    def room(self, cell: Cell) -> bool:
        cells = [*self.cells, cell]
        needed = sum(map(needs_bytes, cells))
        fits = not self.memory_bytes or needed <= self.memory_bytes
        return not self.cells or (fits and sum(map(threads_of, cells)) <= self.threads)

    def full(self) -> bool:
        return sum(map(threads_of, self.cells)) >= self.threads


class DaskCluster:
    """The engine whose cells compute on a cluster."""

    def __init__(self, address: str, seconds_limit: float | None = None):
        self.client = connected(address)
        self.seconds_limit = seconds_limit
        self.token = secrets.token_hex(8)
        self.gone = False
        self.remotes: dict[str, Remote] = {}
        self.looked = 0.0
        self._look()

    def full(self) -> bool:
        return all(remote.full() for remote in self.remotes.values())

    def room(self, cell: Cell) -> bool:
        return any(remote.room(cell) for remote in self.remotes.values())

    def start(self, cell: Cell) -> None:
        """Send the cell to the worker with the most free capacity."""
        fitting = [name for name, remote in self.remotes.items() if remote.room(cell)]
        name = max(fitting, key=lambda name: self._free(self.remotes[name]))
        remote = self.remotes[name]
        limits = (self.seconds_limit, remote.memory_bytes)
        with self._scheduler():
            remote.cells[cell] = self.client.submit(
                compute,
                cell,
                fingerprint_of(cell),
                self.token,
                *limits,
                workers=[name],
                pure=False,
                retries=0,
            )

    @contextmanager
    def _scheduler(self) -> Iterator[None]:
        """Raise Lost if the scheduler does not answer while it is asked something."""
        try:
            if self.client.status != "running":
                raise OSError(f"the Dask client is {self.client.status}")
            yield
        except GONE as error:
            self.gone = True
            why = " ".join(f"{type(error).__name__}: {error}".split())[:120]
            raise Lost(f"the Dask scheduler no longer answers ({why})") from None

    def finished(self, timeout: float) -> list[tuple[Cell, Outcome]]:
        from distributed import wait

        futures = [future for remote in self.remotes.values() for future in remote.cells.values()]
        with suppress(TimeoutError, CancelledError):
            if futures:
                wait(futures, timeout=timeout, return_when="FIRST_COMPLETED")
            else:
                time.sleep(timeout)
        with self._scheduler():  # before its cancelled futures look like lost workers
            pass
        outcomes = [pair for remote in self.remotes.values() for pair in self._collect(remote)]
        return outcomes + self._look()

    def abandon(self) -> None:
        """Cancel everything; the workers' child processes stop at once."""
        futures = [future for remote in self.remotes.values() for future in remote.cells.values()]
        for remote in self.remotes.values():
            remote.cells.clear()
        if futures and not self.gone:
            with suppress(*GONE):
                self.client.cancel(futures)
                self.client.run(abandon_children, self.token)

    def close(self) -> None:
        self.abandon()
        with suppress(*GONE):
            self.client.close(timeout=0 if self.gone else CLOSE_SECONDS)

    def _free(self, remote: Remote) -> int:
        return remote.threads - sum(map(threads_of, remote.cells))

    def _collect(self, remote: Remote) -> list[tuple[Cell, Outcome]]:
        outcomes = []
        for cell, future in list(remote.cells.items()):
            if not future.done():
                continue
            del remote.cells[cell]
            if future.status == "finished":
                outcomes.append((cell, future.result()))
            else:
                outcomes.append((cell, _lost(cell, _why(future))))
        return outcomes

    def _look(self) -> list[tuple[Cell, Outcome]]:
        """Update the list of workers, and return the cells of lost workers as lost."""
        if time.monotonic() - self.looked < LOOK_SECONDS:
            return []
        self.looked = time.monotonic()
        with self._scheduler():
            present: dict[str, int] = self.client.nthreads()
        lost = []
        for name in set(self.remotes) - set(present):
            for cell, future in self.remotes.pop(name).cells.items():
                future.cancel()
                lost.append((cell, _lost(cell, "lost the Dask worker")))
        for name in set(present) - set(self.remotes):
            self.remotes[name] = Remote(present[name], self._memory(name))
        return lost

    def _memory(self, name: str) -> int:
        with self._scheduler():
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        return int(workers.get(name, {}).get("memory_limit") or 0)


def _why(future: Any) -> str:
    """Say in one line why a task has no result: cancelled, or an error on the worker."""
    if future.status != "error":
        return f"the Dask task was {future.status}"
    return " ".join(f"on the Dask worker: {future.exception()!r}".split())


def _lost(cell: Cell, error: str) -> Outcome:
    return Outcome(0.0, failure=failed(cell, "killed", error, "", 0.0))


def _silence() -> None:
    """Silence Dask's tracebacks of lost connections, which are reported in one line here."""
    for name in ("asyncio", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("asyncio", "tornado", "distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def connected(address: str) -> Any:
    """Return a client of the scheduler once it has a worker."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise UserError("--scheduler needs Dask: pip install 'femnets[cluster]'") from None
    _silence()
    client = None
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except Exception as error:  # protocols raise any type: TLS without keys a TypeError
        why = (str(error).splitlines() or [type(error).__name__])[0]
    if client is None:
        # Delete the half-made client now: collected while the next one is made, it would wait for
        # a lock that its own thread holds.
        gc.collect()
        raise UserError(f"no Dask scheduler answers at {address}: {why}")
    try:
        if not client.nthreads():
            print(f"waiting up to {WORKER_SECONDS} s for a worker at {address}", file=sys.stderr)
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except (TimeoutError, *GONE) as error:
        with suppress(*GONE):
            client.close(timeout=CLOSE_SECONDS)
        if not isinstance(error, TimeoutError):
            raise UserError(f"lost the Dask scheduler at {address}; start another one") from None
        raise UserError(
            f"the Dask cluster at {address} has no workers; start one: "
            f"{shell_command('dask', 'worker', address)}"
        ) from None
    return client


# The functions below run on the cluster.

_children: dict[tuple[str, int], LocalProcesses] = {}


def compute(
    cell: Cell, expected: str, token: str, seconds_limit: float | None, memory_bytes: int
) -> Outcome:
    """Compute a cell in the child process of this Dask thread."""
    admit(cell.kind)  # the sender made this cell in code
    if fingerprint_of(cell) != expected:
        error = "the Dask worker runs other code than this run; install the same checkout there"
        return Outcome(0.0, failure=failed(cell, "other code", error, "", 0.0))
    thread = (token, threading.get_ident())
    engine = _children.setdefault(thread, LocalProcesses(1, memory_bytes))
    engine.seconds_limit = seconds_limit
    engine.start(cell)
    while not (outcomes := engine.finished(1.0)):
        pass
    return outcomes[0][1]


def abandon_children(token: str) -> None:
    """Kill the child processes of one run; their threads notice and return."""
    for (owner, _), engine in list(_children.items()):
        if owner == token:
            for worker in list(engine.workers):
                worker.process.kill()
