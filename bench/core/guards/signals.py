"""Ctrl-C, SIGTERM and SIGHUP: one line that says how to continue, and exit code 130 or 143.

The handler ends the process itself. An exception would be raised wherever Python happens to be, and
is lost or printed with its traceback in imports, callbacks of compiled code and finalisers. It
removes temporary files first; a result is stored completely or not at all.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}
AGAIN, RESUMES = "the same command starts again", "the same command resumes"
_way_on = AGAIN
_clean_ups: list[Callable[[], None]] = []


def before_the_end(clean_up: Callable[[], None]) -> None:
    """Register a function that a signal calls before it ends the process; it must not raise."""
    _clean_ups.append(clean_up)


class Asked(KeyboardInterrupt):
    """The first signal within `ending_well`, with its number."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


def install() -> None:
    """Install the handlers; call it in a process that is a femnets command."""
    for number in heard():
        signal.signal(number, end)


def heard() -> list[signal.Signals]:
    """Return the signals to handle; SIGHUP stays ignored if the parent (nohup) ignores it."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in CODES if number != signal.SIGHUP or not ignored]


def go_on_by(words: str) -> None:
    """Set what the printed line says about how to continue."""
    global _way_on
    _way_on = words


def line(number: int) -> str:
    word = "interrupted" if number == signal.SIGINT else "terminated"
    return f"{word}; {_way_on}"


def end(number: int, frame: FrameType | None = None) -> NoReturn:
    """End the process at once; further signals are ignored."""
    for other in CODES:
        signal.signal(other, signal.SIG_IGN)
    for clean_up in _clean_ups:  # import nothing here: an import may be in progress
        clean_up()
    with suppress(OSError):  # the terminal may be closed
        os.write(2, f"{line(number)}\n".encode())
    os._exit(CODES[signal.Signals(number)])


@contextmanager
def ending_well(begun: Callable[[], bool]) -> Iterator[list[int]]:
    """Inside, the first signal raises `Asked`, so that the result so far is kept; the second ends.

    While `begun` returns False, the first ends the process too: code is still being imported, where
    an exception may be lost. Yields the list to which the signal's number is appended.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if not begun():
            end(number)
        for other in before:
            signal.signal(other, end)
        received.append(number)
        raise Asked(number)

    before = {number: signal.getsignal(number) for number in heard()}
    for number in before:
        signal.signal(number, ask)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
