"""Local workers: persistent processes, one cell at a time each, respawned when killed or hung."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import IO, Any

import psutil

from bench.cells import Cell, needs_bytes, threads_of
from bench.core.threads import thread_environment
from bench.runner.execute import LOG_BYTES, Outcome, failed
from bench.runner.local_worker import READY

KEPT_SHARE = 0.5  # of a worker's share of memory; a worker that keeps more is replaced


@dataclass(eq=False)
class Worker:
    """One process and the cell it computes, if any."""

    threads: int
    process: subprocess.Popen[bytes]
    connection: Connection
    log: IO[bytes]
    cell: Cell | None = None
    began: float = 0.0
    ready: bool = False

    def log_tail(self) -> str:
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), LOG_BYTES, max(0, size - LOG_BYTES)).decode(
            errors="replace"
        )

    def kill(self) -> None:
        """End the process and, since it leads its own session, all that the cell started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.connection.close()
        self.log.close()


def spawn(threads: int, memory_bytes: int) -> Worker:
    ours, theirs = socket.socketpair()
    log = tempfile.TemporaryFile("ab+")  # noqa: SIM115 (lives as long as the worker)
    worker = ["-m", "bench.runner.local_worker", str(theirs.fileno()), str(memory_bytes)]
    process = subprocess.Popen(
        # -P: without it -m searches the working folder first, which may contain a json.py
        [sys.executable, "-P", *worker],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env={**os.environ, **thread_environment(threads), "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,  # Ctrl-C in a terminal reaches only the run
    )
    theirs.close()
    return Worker(threads, process, Connection(ours.detach()), log)


@dataclass
class LocalProcesses:
    """The engine of local workers: at most `jobs` threads; `seconds_limit` is per cell."""

    jobs: int
    memory_bytes: int
    seconds_limit: float | None = None
    workers: list[Worker] = field(default_factory=list)

    def full(self) -> bool:
        return sum(map(threads_of, self._busy())) >= self.jobs

    def room(self, cell: Cell) -> bool:
        """Whether the cell fits next to those that run."""
        cells = [*self._busy(), cell]
        threads, needed = sum(map(threads_of, cells)), sum(map(needs_bytes, cells))
        return threads <= self.jobs and needed <= self.memory_bytes

    def _busy(self) -> list[Cell]:
        return [worker.cell for worker in self.workers if worker.cell is not None]

    def start(self, cell: Cell) -> None:
        worker = self._idle(threads_of(cell))
        worker.cell, worker.began = cell, time.monotonic()
        with suppress(OSError):  # killed while idle: `finished` will report it
            worker.connection.send(cell)

    def finished(self, timeout: float) -> list[tuple[Cell, Outcome]]:
        """Outcomes that arrived within `timeout`, including those of dead and overdue workers."""
        connections: dict[Any, Worker] = {worker.connection: worker for worker in self.workers}
        outcomes = []
        for connection in wait(list(connections), timeout):
            outcomes += self._received(connections[connection])
        for worker in list(self.workers):
            if self._overdue(worker):
                outcomes += self._stopped(worker)
        return outcomes

    def _received(self, worker: Worker) -> list[tuple[Cell, Outcome]]:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            return self._died(worker)
        if message == READY:
            worker.ready, worker.began = True, time.monotonic()
            return []
        cell, worker.cell = worker.cell, None
        self._retire_if_swollen(worker)
        return [(cell, message)] if cell is not None else []

    def _retire_if_swollen(self, worker: Worker) -> None:
        """End a worker that keeps much memory after its cell: the next cell gets a new one."""
        with suppress(psutil.Error):
            kept = psutil.Process(worker.process.pid).memory_info().rss
            if kept > KEPT_SHARE * self.memory_bytes / self.jobs:
                self._bury(worker, "", "")

    def _died(self, worker: Worker) -> list[tuple[Cell, Outcome]]:
        code = worker.process.wait()
        how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return self._bury(worker, "killed", f"the worker process died: {how}")

    def _overdue(self, worker: Worker) -> bool:
        if self.seconds_limit is None or worker.cell is None or not worker.ready:
            return False
        return time.monotonic() - worker.began > self.seconds_limit

    def _stopped(self, worker: Worker) -> list[tuple[Cell, Outcome]]:
        """End a hung worker after it has logged its traceback."""
        worker.process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        return self._bury(worker, "time limit", f"not done after {self.seconds_limit:g} s")

    def _bury(self, worker: Worker, reason: str, error: str) -> list[tuple[Cell, Outcome]]:
        log, cell = worker.log_tail(), worker.cell
        worker.kill()
        self.workers.remove(worker)
        if cell is None:
            return []
        seconds = time.monotonic() - worker.began
        return [(cell, Outcome(seconds, failure=failed(cell, reason, error, log, seconds)))]

    def abandon(self) -> None:
        """Stop everything at once."""
        for worker in self.workers:
            worker.kill()
        self.workers.clear()

    close = abandon

    def _idle(self, threads: int) -> Worker:
        idle = [worker for worker in self.workers if worker.cell is None]
        for worker in idle:
            if worker.threads == threads:
                return worker
        for worker in idle:  # with another thread count: its memory is needed
            worker.kill()
            self.workers.remove(worker)
        worker = spawn(threads, self.memory_bytes)
        self.workers.append(worker)
        return worker
