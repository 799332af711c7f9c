"""A persistent worker process: `python -m bench.runner.local_worker DESCRIPTOR MEMORY`.

It receives cells over a socket and answers with outcomes, one at a time. Its output is the log of
the cell it runs. When the socket closes, the run has ended, and the worker exits, even mid-cell.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import resource
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

from bench.cells import Cell
from bench.runner.execute import Outcome, execute

READY = "ready"


def main() -> None:
    descriptor, memory_bytes = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(descriptor, False)
    prepare(memory_bytes)
    connection = Connection(descriptor)
    tasks: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(connection, tasks), daemon=True).start()
    connection.send(READY)
    while True:
        cell = tasks.get()
        forget_log()
        outcome = execute(cell)
        sys.stdout.flush()
        connection.send(with_log(outcome))


def prepare(memory_bytes: int) -> None:
    """Make crashes and hangs leave a traceback, and limit the memory of a cell."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run handles Ctrl-C
    if memory_bytes:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, hard))


def receive(connection: Connection, tasks: queue.SimpleQueue[Cell]) -> None:
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        os._exit(1)


def forget_log() -> None:
    """Empty the log, a file opened for appending, before the next cell writes to it."""
    with suppress(OSError):  # not a file: the worker was started by hand
        os.ftruncate(sys.stderr.fileno(), 0)


def with_log(outcome: Outcome) -> Outcome:
    """Return the outcome; a failure's log has the cell's output, then its traceback."""
    if outcome.failure is None:
        return outcome
    try:
        printed = os.pread(sys.stderr.fileno(), 32_000, 0).decode(errors="replace")
    except OSError:
        return outcome
    failure = {**outcome.failure, "log": printed + outcome.failure["log"]}
    return Outcome(outcome.seconds, failure=failure)


if __name__ == "__main__":
    main()
