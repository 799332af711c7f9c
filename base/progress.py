"""Progress of a command on stderr: a status line with the time left, in terminals, notebooks
and logs."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Self, TextIO

SECONDS_BETWEEN_LINES = 10.0  # without a terminal


class StatusLine:
    """One line that rewrites itself on a terminal; elsewhere a plain line every ten seconds."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty() or (stream is None and in_notebook())
        self._begun_at, self.written_at = time.monotonic(), 0.0
        self.width = 0
        self.begun = False  # whether a line has been shown

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.clear()

    def say(self, line: str, seconds: float | None = None) -> None:
        """Show the present state; `seconds` is the time since the start, if the caller knows it."""
        seconds = time.monotonic() - self._begun_at if seconds is None else seconds
        self.begun = True
        if self.live:
            line = line[: shutil.get_terminal_size().columns - 1]
            self.stream.write("\r" + line.ljust(self.width))
            self.stream.flush()
            self.width = len(line)
        elif seconds - self.written_at >= SECONDS_BETWEEN_LINES:
            self.written_at = seconds
            print(line, file=self.stream, flush=True)

    def note(self, line: str) -> None:
        """Print a line that is not overwritten."""
        self.clear()
        print(line, file=self.stream, flush=True)

    def clear(self) -> None:
        """Erase the status line from a terminal."""
        if self.live and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
            self.width = 0


def in_notebook() -> bool:
    """Return whether the code runs in a Jupyter kernel."""
    return "ipykernel" in sys.modules


def is_watched() -> bool:
    """Return whether stderr is a terminal or a notebook."""
    return sys.stderr.isatty() or in_notebook()


def spent_and_left(seconds: float, fraction: float) -> str:
    """Return time spent and left, such as `12 s, 18 s left`, when this fraction is done."""
    left = time_left(seconds, fraction)
    return f"{seconds:.0f} s" + ("" if left is None else f", {left:.0f} s left")


def time_left(seconds: float, fraction: float) -> float | None:
    """Return the seconds left at the speed so far; None if nothing is done yet."""
    return seconds * max(0.0, 1 / fraction - 1) if fraction > 0 else None
