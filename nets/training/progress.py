"""The live line of a training, on stderr: J, error, time left; in terminals and in notebooks."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from nets.training.loop import Progress

SECONDS_BETWEEN_LINES = 10.0  # without a terminal


class TrainingProgress:
    """One line that rewrites itself on a terminal; elsewhere a plain line every ten seconds."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty() or (stream is None and in_notebook())
        self.written_at = 0.0
        self.width = 0

    def __enter__(self) -> TrainingProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()

    def __call__(self, progress: Progress) -> None:
        if self.live:
            line = describe(progress)
            self.stream.write("\r" + line.ljust(self.width))
            self.stream.flush()
            self.width = len(line)
        elif progress.seconds - self.written_at >= SECONDS_BETWEEN_LINES:
            self.written_at = progress.seconds
            print(describe(progress), file=self.stream, flush=True)


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
    left = time_left(progress)
    parts.append(f"{progress.seconds:.0f} s" + (f", {left:.0f} s left" if left is not None else ""))
    return "  ".join(parts)


def time_left(progress: Progress) -> float | None:
    """Seconds to the nearest limit at the speed so far; None where there is no limit."""
    if progress.fraction <= 0:
        return None
    return progress.seconds * max(0.0, 1 / progress.fraction - 1)
