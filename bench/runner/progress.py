"""One live view of a run: done, running, failed, rate, time left; lines without a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bench.cells import Cell

SHOWN = 8  # running cells in the live view
PLAIN_SECONDS = 10.0  # between lines when the output is no terminal


@dataclass
class Progress:
    """Counts, and what runs now. The views below show it."""

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
        """Cells of one kind resemble each other, kinds differ a thousandfold: so kind by kind.

        As many cells at a time as so far; a kind of which none is done counts as an average cell.
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


class PlainView:
    """Lines for logs: one now and then, and one for each failure."""

    def __init__(self, cells: Sequence[Cell], stream: IO[str] | None = None):
        self.progress = Progress(cells)
        self.stream = stream or sys.stderr
        self.said = time.monotonic()

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.progress.total:
            self.say(self.progress.summary())

    def started(self, cell: Cell) -> None:
        self.progress.running[cell] = time.monotonic()

    def settled(self, cell: Cell, state: str, seconds: float, note: str = "") -> None:
        self.progress.running.pop(cell, None)
        self.progress.states[state] += 1
        self.progress.settled[cell.kind] += 1
        self.progress.timed[cell.kind] += seconds > 0
        self.progress.spent[cell.kind] += seconds
        if state == "failed":
            self.say(f"failed: {cell.label}: {note}")

    def retried(self, cell: Cell, error: str) -> None:
        self.progress.running.pop(cell, None)
        self.say(f"again: {cell.label}: {error}")

    def tick(self, elsewhere: int) -> None:
        self.progress.elsewhere = elsewhere
        if time.monotonic() - self.said >= PLAIN_SECONDS:
            self.say(self.progress.summary())

    def say(self, line: str) -> None:
        self.said = time.monotonic()
        print(line, file=self.stream, flush=True)


class LiveView(PlainView):
    """The same in a terminal: a bar, the counts, and the cells that run."""

    def __init__(self, cells: Sequence[Cell], console: Console):
        super().__init__(cells)
        self.console = console
        self.live = Live(console=console, get_renderable=self.render, refresh_per_second=4)

    def __enter__(self) -> LiveView:
        self.live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.live.stop()

    def tick(self, elsewhere: int) -> None:
        self.progress.elsewhere = elsewhere

    def say(self, line: str) -> None:
        self.console.print(Text(line))

    def render(self) -> Table:
        progress = self.progress
        cells = Table.grid(padding=(0, 2))
        for cell, began in list(progress.running.items())[:SHOWN]:
            seconds = duration(time.monotonic() - began)
            cells.add_row(Text(seconds, style="cyan"), Text(cell.label))
        whole = Table.grid()
        whole.add_row(
            ProgressBar(total=max(1, progress.total), completed=progress.settled_count, width=60)
        )
        whole.add_row(Text(progress.summary()))
        whole.add_row(cells)
        return whole


def view(cells: Sequence[Cell]) -> PlainView:
    """The live view in a terminal, else lines; both on stderr, so that stdout stays clean."""
    console = Console(stderr=True)
    return LiveView(cells, console) if console.is_terminal else PlainView(cells)


def duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
