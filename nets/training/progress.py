"""What one command shows of its work, on stderr: a line with the time left, in terminals and in
notebooks.

A run of many cells has a view of its own, `bench/runner/progress.py`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from nets.training.loop import Progress

SECONDS_BETWEEN_LINES = 10.0  # without a terminal


class StatusLine:
    """One line that rewrites itself on a terminal; elsewhere a plain line every ten seconds."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty() or (stream is None and in_notebook())
        self.written_at = 0.0
        self.width = 0
        self.begun = False  # whether there was anything to say

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.live and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()

    def say(self, line: str, seconds: float) -> None:
        """The state after so many seconds."""
        self.begun = True
        if self.live:
            self.stream.write("\r" + line.ljust(self.width))
            self.stream.flush()
            self.width = len(line)
        elif seconds - self.written_at >= SECONDS_BETWEEN_LINES:
            self.written_at = seconds
            print(line, file=self.stream, flush=True)


class TrainingProgress(StatusLine):
    """J, error, time left of a training."""

    def __call__(self, progress: Progress) -> None:
        self.say(describe(progress), progress.seconds)


def in_notebook() -> bool:
    """Whether a Jupyter kernel shows what is written."""
    return "ipykernel" in sys.modules


def is_watched() -> bool:
    """Whether somebody looks at stderr."""
    return sys.stderr.isatty() or in_notebook()


def describe(progress: Progress) -> str:
    """`step 120  J 1.3e-04  rel_test_error 2.0e-02  12 s, 18 s left`."""
    parts = [f"step {progress.steps}", f"J {progress.J:.2e}"]
    parts += [f"{name} {value:.1e}" for name, value in progress.probes.items()]
    parts.append(spent_and_left(progress.seconds, progress.fraction))
    return "  ".join(parts)


def spent_and_left(seconds: float, fraction: float) -> str:
    """`12 s, 18 s left`: of work of which that fraction is done."""
    left = time_left(seconds, fraction)
    return f"{seconds:.0f} s" + ("" if left is None else f", {left:.0f} s left")


def time_left(seconds: float, fraction: float) -> float | None:
    """Seconds to the end at the speed so far; None where nothing is done, or no end known."""
    return seconds * max(0.0, 1 / fraction - 1) if fraction > 0 else None
