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
and results are the same here and there. Dask chooses the worker; if that is lost, Dask starts the
cell again somewhere else.
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
from typing import Any

from base.errors import UserError
from bench.cells import Cell, threads_of
from bench.core.guards.text import shell_command
from bench.core.plugins import admit
from bench.runner.execute import Outcome, failed
from bench.runner.local_processes import LocalProcesses
from bench.runner.resume import Lost
from bench.store.fingerprint import fingerprint_of

CONNECT_SECONDS = 5
WORKER_SECONDS = 60
LOOK_SECONDS = 0.5  # between queries for the number of threads
CLOSE_SECONDS = 5
# Exceptions of Dask if the scheduler is lost: CommClosedError is an OSError.
GONE = (OSError, TimeoutError, CancelledError, RuntimeError, ValueError)


class DaskCluster:
    """The engine whose cells compute on a cluster: as many at once as it has threads."""

    def __init__(self, address: str, seconds_limit: float | None = None):
        self.client = connected(address)
        self.seconds_limit = seconds_limit
        self.token = secrets.token_hex(8)
        self.gone = False
        self.futures: dict[Cell, Any] = {}
        self.threads, self.looked = 0, 0.0

    def full(self) -> bool:
        if time.monotonic() - self.looked > LOOK_SECONDS:
            self.looked = time.monotonic()
            with self._scheduler():
                self.threads = sum(self.client.nthreads().values())
        return sum(map(threads_of, self.futures)) >= self.threads

    def room(self, cell: Cell) -> bool:
        return sum(map(threads_of, [*self.futures, cell])) <= self.threads

    def start(self, cell: Cell) -> None:
        task = (compute, cell, fingerprint_of(cell), self.token, self.seconds_limit)
        with self._scheduler():
            self.futures[cell] = self.client.submit(*task, pure=False)

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

        with suppress(TimeoutError, CancelledError):
            if self.futures:
                futures = [*self.futures.values()]
                wait(futures, timeout=timeout, return_when="FIRST_COMPLETED")
            else:
                time.sleep(timeout)
        with self._scheduler():  # before its cancelled futures look like lost workers
            pass
        done = {cell: future for cell, future in self.futures.items() if future.done()}
        for cell in done:
            del self.futures[cell]
        return [(cell, _outcome(cell, future)) for cell, future in done.items()]

    def abandon(self) -> None:
        """Cancel everything; the workers' child processes stop at once."""
        futures = [*self.futures.values()]
        self.futures.clear()
        if futures and not self.gone:
            with suppress(*GONE):
                self.client.cancel(futures)
                self.client.run(abandon_children, self.token)

    def close(self) -> None:
        self.abandon()
        with suppress(*GONE):
            self.client.close(timeout=0 if self.gone else CLOSE_SECONDS)


def _outcome(cell: Cell, future: Any) -> Outcome:
    """The outcome of a task; without a result the cell was lost, cancelled or failed to be sent."""
    if future.status == "finished":
        outcome: Outcome = future.result()
        return outcome
    why = f"the Dask task was {future.status}"
    if future.status == "error":
        why = " ".join(f"on the Dask worker: {future.exception()!r}".split())
    return Outcome(0.0, failure=failed(cell, "killed", why, "", 0.0))


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


def compute(cell: Cell, expected: str, token: str, seconds_limit: float | None) -> Outcome:
    """Compute a cell in the child process of this Dask thread, within the worker's memory."""
    from distributed import get_worker

    admit(cell.kind)  # the sender made this cell in code
    if fingerprint_of(cell) != expected:
        error = "the Dask worker runs other code than this run; install the same checkout there"
        return Outcome(0.0, failure=failed(cell, "other code", error, "", 0.0))
    thread = (token, threading.get_ident())
    memory = int(get_worker().memory_manager.memory_limit or 0)
    engine = _children.setdefault(thread, LocalProcesses(1, memory))
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
