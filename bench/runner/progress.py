"""The progress of a run: done, running, failed, rate, time left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from base.progress import StatusLine
from bench.cells import Cell


class RunView(StatusLine):
    """The status line of a run, and a permanent line for each failure."""

    def __init__(self, cells: Sequence[Cell], stream: TextIO | None = None):
        super().__init__(stream)
        self.left = Counter(cell.kind for cell in cells)
        self.total = len(cells)
        self.running: dict[Cell, float] = {}
        self.states: Counter[str] = Counter()
        self.times: dict[str, list[float]] = {}  # of cells computed here, by kind
        self.began = time.monotonic()

    def __exit__(self, *exception: object) -> None:
        if self.total:
            self.note(self.summary())

    def started(self, cell: Cell) -> None:
        self.running[cell] = time.monotonic()

    def settled(self, cell: Cell, state: str, seconds: float, note: str = "") -> None:
        self.running.pop(cell, None)
        self.left[cell.kind] -= 1
        self.states[state] += 1
        if seconds > 0:
            self.times.setdefault(cell.kind, []).append(seconds)
        if state == "failed":
            self.note(f"failed: {cell.label}: {note}")

    def retried(self, cell: Cell, error: str) -> None:
        self.running.pop(cell, None)
        self.note(f"again: {cell.label}: {error}")

    def tick(self, elsewhere: int) -> None:
        """Show the counts, and on a terminal the cell that has run longest."""
        longest = next(iter(self.running), None) if self.live else None
        line = self.summary(elsewhere) + (f"; {longest.label}" if longest else "")
        self.say(line, time.monotonic() - self.began)

    def summary(self, elsewhere: int = 0) -> str:
        """`12/40 done, 2 running, 1 failed, 3.1 cells/s, 9 s left`."""
        seconds, settled = time.monotonic() - self.began, self.states.total()
        parts = [f"{settled - self.states['failed']}/{self.total} done"]
        parts += [f"{len(self.running)} running"] if self.running else []
        parts += [f"{elsewhere} computed by another run"] if elsewhere else []
        parts += [f"{self.states['failed']} failed"] if self.states["failed"] else []
        if 0 < settled < self.total and seconds > 0:
            rate = settled / seconds
            pace = f"{rate:.1f} cells/s" if rate >= 1 else f"{1 / rate:.1f} s per cell"
            parts += [pace, f"{duration(self.seconds_left(seconds))} left"]
        return ", ".join(parts)

    def seconds_left(self, elapsed: float) -> float:
        """Estimate the remaining time kind by kind, as times differ a thousandfold between kinds.

        It assumes as many cells at a time as so far; a kind with none done yet counts as average.
        """
        every = [seconds for times in self.times.values() for seconds in times]
        average = sum(every) / max(1, len(every))
        means = {kind: sum(times) / len(times) for kind, times in self.times.items()}
        work = sum(count * means.get(kind, average) for kind, count in self.left.items())
        under_way = sum(time.monotonic() - began for began in self.running.values())
        at_a_time = max(1.0, (sum(every) + under_way) / max(elapsed, 1e-9))
        return max(0.0, work - under_way) / at_a_time


def duration(seconds: float) -> str:
    """`5 s`, `1 min 05 s` or `1 h 01 min`."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
