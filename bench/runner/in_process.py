"""Compute cells in this process, one after the other: for debugging and without overhead."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from bench.cells import Cell, needs_bytes
from bench.runner.execute import Outcome, execute, failed
from fem.memory import limit_bytes


class OutOfTime(BaseException):
    """A cell exceeded its time limit; not an Exception, so that cells do not catch it."""


@dataclass
class InProcess:
    """The engine without workers. A crash of a cell crashes the run."""

    seconds_limit: float | None = None
    begun: list[Cell] = field(default_factory=list)

    def full(self) -> bool:
        return bool(self.begun)

    def room(self, cell: Cell) -> bool:
        return not self.begun

    def start(self, cell: Cell) -> None:
        self.begun.append(cell)

    def finished(self, timeout: float) -> list[tuple[Cell, Outcome]]:
        if not self.begun:
            return []
        cell = self.begun.pop()
        if needs_bytes(cell) > limit_bytes():
            error = f"needs about {needs_bytes(cell) / 2**30:.1f} GiB, more than is free"
            return [(cell, Outcome(0.0, failure=failed(cell, "memory", error, "", 0.0)))]
        limit = self.seconds_limit or 0.0
        try:
            with alarm(limit):
                return [(cell, execute(cell))]
        except OutOfTime:
            error = f"not done after {limit:g} s"
            return [(cell, Outcome(limit, failure=failed(cell, "time limit", error, "", limit)))]

    def abandon(self) -> None:
        self.begun.clear()

    close = abandon


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the main thread after so many seconds; 0 means never."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
