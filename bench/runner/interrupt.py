"""Ctrl-C, SIGTERM, SIGHUP: finish running cells or abandon them; stored results are kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from bench.core.guards.signals import end, heard

FINISH, ABANDON = 1, 2


class Abandoned(BaseException):
    """Ends a cell in the run's own process; not an Exception, so that cells do not catch it."""


@dataclass
class Interrupt:
    """The requested stop: 0 none, 1 after the running cells, 2 at once."""

    level: int = 0
    number: int = signal.SIGINT  # of the last signal
    raising: bool = False  # whether a cell in this process must be stopped by an exception

    def raised(self, number: int, frame: FrameType | None = None) -> None:
        """Let running cells finish at a first Ctrl-C; abandon them at a second or another signal.

        One more signal ends the process if a cell in it does not stop.
        """
        if self.level == ABANDON and self.raising:
            end(number)
        self.number = number
        self.level = min(self.level + 1, ABANDON) if number == signal.SIGINT else ABANDON
        if self.raising and self.level == ABANDON:
            raise Abandoned


@contextmanager
def interruptible(*, raising: bool = False) -> Iterator[Interrupt]:
    """Handle signals in this context: they raise the level, and an exception only if `raising`."""
    interrupt = Interrupt(raising=raising)
    before = {number: signal.signal(number, interrupt.raised) for number in heard()}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
