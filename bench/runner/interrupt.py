"""Ctrl-C, SIGTERM, SIGHUP: finish what runs, or abandon it; nothing stored is lost either way."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from bench.core.guards.signals import end, heard

FINISH, ABANDON = 1, 2


class Abandoned(BaseException):
    """Ends a cell that computes in the run's own process; no Exception, or it might catch it."""


@dataclass
class Interrupt:
    """The requested stop: 0 none, 1 after the running cells, 2 at once."""

    level: int = 0
    number: int = signal.SIGINT  # of the last signal
    raising: bool = False  # whether a cell of this process must be torn away

    def raised(self, number: int, frame: FrameType | None = None) -> None:
        """A first Ctrl-C lets running cells finish; a second, or another signal, abandons them.

        One more, to a cell of this process that does not let itself be torn away, ends everything.
        """
        if self.level == ABANDON and self.raising:
            end(number)
        self.number = number
        self.level = min(self.level + 1, ABANDON) if number == signal.SIGINT else ABANDON
        if self.raising and self.level == ABANDON:
            raise Abandoned


@contextmanager
def interruptible(*, raising: bool = False) -> Iterator[Interrupt]:
    """While inside, signals raise the level, and an exception only if `raising`."""
    interrupt = Interrupt(raising=raising)
    before = {number: signal.signal(number, interrupt.raised) for number in heard()}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
