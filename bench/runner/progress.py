"""The progress of a run: done, running, failed, rate, time left."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from base.progress import StatusLine
from bench.cells import Cell


@dataclass
class Progress:
    """Counts of cells and the cells that are running."""

    cells: Sequence[Cell]
    states: Counter[str] = field(default_factory=Counter)
    running: dict[Cell, float] = field(default_factory=dict)
    elsewhere: int = 0
    began: float = field(default_factory=time.monotonic)
    settled: Counter[str] = field(default_factory=Counter)  # by kind
    timed: Counter[str] = field(default_factory=Counter)  # those computed here
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # their seconds

    @property
    def total(self) -> int:
        return len(self.cells)

    @property
    def settled_count(self) -> int:
        return sum(self.states.values())

    def summary(self) -> str:
        """`12/40 done, 2 running, 1 failed, 3.1 cells/s, 9 s left`."""
        seconds = time.monotonic() - self.began
        rate = self.settled_count / seconds if seconds > 0 else 0.0
        parts = [f"{self.settled_count - self.states['failed']}/{self.total} done"]
        parts += [f"{len(self.running)} running"] if self.running else []
        parts += [f"{self.elsewhere} computed by another run"] if self.elsewhere else []
        parts += [f"{self.states['failed']} failed"] if self.states["failed"] else []
        if 0 < self.settled_count < self.total:
            pace = f"{rate:.1f} cells/s" if rate >= 1 else f"{1 / rate:.1f} s per cell"
            parts += [pace, f"{duration(self.seconds_left(seconds))} left"]
        return ", ".join(parts)

    def seconds_left(self, elapsed: float) -> float:
        """Estimate the remaining time kind by kind, as times differ a thousandfold between kinds.

        It assumes as many cells at a time as so far; a kind with none done yet counts as average.
        """
        average = sum(self.spent.values()) / max(1, self.timed.total())
        todo = Counter(cell.kind for cell in self.cells)
        todo.subtract(self.settled)
        work = sum(
            count * (self.spent[kind] / self.timed[kind] if self.timed[kind] else average)
            for kind, count in todo.items()
        )
        under_way = sum(time.monotonic() - began for began in self.running.values())
        at_a_time = max(1.0, (sum(self.spent.values()) + under_way) / max(elapsed, 1e-9))
        return max(0.0, work - under_way) / at_a_time


class RunView(StatusLine):
    """The status line of a run, and a permanent line for each failure."""

    def __init__(self, cells: Sequence[Cell], stream: TextIO | None = None):
        super().__init__(stream)
        self.progress = Progress(cells)

    def __exit__(self, *exception: object) -> None:
        if self.progress.total:
            self.note(self.progress.summary())

    def started(self, cell: Cell) -> None:
        self.progress.running[cell] = time.monotonic()

    def settled(self, cell: Cell, state: str, seconds: float, note: str = "") -> None:
        self.progress.running.pop(cell, None)
        self.progress.states[state] += 1
        self.progress.settled[cell.kind] += 1
        self.progress.timed[cell.kind] += seconds > 0
        self.progress.spent[cell.kind] += seconds
        if state == "failed":
            self.note(f"failed: {cell.label}: {note}")

    def retried(self, cell: Cell, error: str) -> None:
        self.progress.running.pop(cell, None)
        self.note(f"again: {cell.label}: {error}")

    def tick(self, elsewhere: int) -> None:
        """Show the counts, and on a terminal the cell that has run longest."""
        progress = self.progress
        progress.elsewhere = elsewhere
        longest = next(iter(progress.running), None) if self.live else None
        line = progress.summary() + (f"; {longest.label}" if longest else "")
        self.say(line, time.monotonic() - progress.began)


def duration(seconds: float) -> str:
    """`5 s`, `1 min 05 s` or `1 h 01 min`."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
