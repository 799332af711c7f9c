"""Compute the cells that a run lacks; a cell whose worker was killed is tried again.

An engine is a process pool, a cluster or this process. The loop below is the same for all of
them: lock a cell, start it, write what comes back. It has no state outside the
store, so it may be killed at any moment, and the next run resumes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from bench.cells import Cell, needs_bytes, runs_alone
from bench.runner.execute import Outcome
from bench.runner.interrupt import ABANDON, FINISH, Abandoned, Interrupt
from bench.runner.session import Session
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import SECONDS_WORTH_SYNCING, Store
from bench.store.survey import standing

TICK_SECONDS = 0.1
ELSEWHERE_SECONDS = 0.5  # between checks of cells that another run computes
LOOK_AHEAD = 20  # cells considered after one that does not fit now
TRIES = 2  # a cell whose worker was killed is tried once more


class Lost(Exception):
    """The whole engine is lost, not only one of its workers."""


class Engine(Protocol):
    """An engine: what computes cells."""

    def full(self) -> bool: ...
    def room(self, cell: Cell) -> bool: ...
    def start(self, cell: Cell) -> None: ...
    def finished(self, timeout: float) -> list[tuple[Cell, Outcome]]: ...
    def abandon(self) -> None: ...
    def close(self) -> None: ...


class View(Protocol):
    """A display of the progress."""

    def started(self, cell: Cell) -> None: ...
    def settled(self, cell: Cell, state: str, seconds: float, note: str = "") -> None: ...
    def retried(self, cell: Cell, error: str) -> None: ...
    def tick(self, elsewhere: int) -> None: ...
    def note(self, line: str) -> None: ...


@dataclass
class Summary:
    """The outcome of a run: cells by their final state, and what stopped it early, if anything."""

    states: dict[Cell, str] = field(default_factory=dict)
    errors: dict[Cell, str] = field(default_factory=dict)
    interrupted: int = 0  # the signal that ended it
    storage_error: str = ""
    engine_error: str = ""


def run_cells(
    cells: Sequence[Cell], store: Store, engine: Engine, view: View, interrupt: Interrupt
) -> Summary:
    """Compute the cells that no other run is computing, and wait for the others."""
    return _Run(store, engine, view, interrupt, deque(in_order(cells))).to_the_end()


def in_order(cells: Sequence[Cell]) -> list[Cell]:
    """Order cells: a small one of each kind, to estimate the time left soon; then large ones first,
    so that no long cell remains at the end; cells that measure time last."""
    by_size = sorted(dict.fromkeys(cells), key=lambda cell: (runs_alone(cell), -needs_bytes(cell)))
    scouts = {cell.kind: cell for cell in by_size if not runs_alone(cell)}  # the last is smallest
    first = dict.fromkeys(scouts.values())
    return [*first, *(cell for cell in by_size if cell not in first)]


@dataclass
class _Run:
    store: Store
    engine: Engine
    view: View
    interrupt: Interrupt
    pending: deque[Cell]
    running: dict[Cell, int] = field(default_factory=dict)  # the lock on each
    elsewhere: list[Cell] = field(default_factory=list)
    tries: dict[Cell, int] = field(default_factory=dict)
    looked: float = 0.0
    heard: bool = False
    session: Session | None = None
    summary: Summary = field(default_factory=Summary)

    def to_the_end(self) -> Summary:
        self.session = Session(self.store) if self.pending else None
        try:
            while self._goes_on():
                if not self.stopping:
                    self._look_elsewhere()
                    self._fill()
                timeout = TICK_SECONDS if self.running or self.elsewhere else 0.0
                for cell, outcome in self.engine.finished(timeout):
                    self._settle(cell, outcome)
                self.view.tick(len(self.elsewhere))
                self._acknowledge()
                if self.session is not None:
                    self.session.tick()
        except Abandoned:
            pass
        except Lost as error:
            self.summary.engine_error = str(error)
        finally:
            for cell, lock in self.running.items():
                self.store.unlock(cell, lock)
            self.running.clear()
            if self.session is not None:
                self.session.end()  # while the workers' CPU times can still be read
            self.engine.abandon()
        if self.interrupt.level > 0:
            self.summary.interrupted = self.interrupt.number
        return self.summary

    def _acknowledge(self) -> None:
        """Report an interrupt once, and what a second one does."""
        if self.interrupt.level == FINISH and self.running and not self.heard:
            self.heard = True
            self.view.note(f"finishing {len(self.running)} cells; Ctrl-C again to stop at once")

    @property
    def stopping(self) -> bool:
        return self.interrupt.level >= FINISH or bool(self.summary.storage_error)

    def _goes_on(self) -> bool:
        if self.interrupt.level >= ABANDON:
            return False
        return bool(self.running) or (not self.stopping and bool(self.pending or self.elsewhere))

    def _fill(self) -> None:
        """Start the cells that fit, in order; smaller ones overtake one that does not fit now."""
        passed: list[Cell] = []
        while self.pending and len(passed) < LOOK_AHEAD and not self.stopping:
            if self.engine.full() or any(map(runs_alone, self.running)):
                break
            cell = self.pending.popleft()
            if self.running and (runs_alone(cell) or not self.engine.room(cell)):
                passed.append(cell)
            else:
                self._begin(cell)
        self.pending.extendleft(reversed(passed))

    def _begin(self, cell: Cell) -> None:
        try:
            lock = self.store.lock(cell)
        except OSError as error:
            self.summary.storage_error = f"{error.strerror} ({error.filename})"
            return
        if lock is None:
            self.elsewhere.append(cell)
            return
        now = standing(self.store, cell, verify=True)
        if now.state in {"done", "diverged"}:  # another run was faster
            self.store.unlock(cell, lock)
            self._note(cell, now.state, 0.0)
            return
        self.running[cell] = lock
        self.tries[cell] = self.tries.get(cell, 0) + 1
        self.engine.start(cell)
        self.view.started(cell)

    def _look_elsewhere(self) -> None:
        """Take over cells that another run has finished, and queue those it has given up."""
        if not self.elsewhere or time.monotonic() - self.looked < ELSEWHERE_SECONDS:
            return
        self.looked = time.monotonic()
        others, self.elsewhere = self.elsewhere, []
        for cell in others:
            now = standing(self.store, cell, verify=True)
            if now.state in {"done", "diverged"}:
                self._note(cell, now.state, 0.0)
            elif (lock := self.store.lock(cell)) is None:
                self.elsewhere.append(cell)
            else:
                self.store.unlock(cell, lock)
                self.pending.append(cell)

    def _settle(self, cell: Cell, outcome: Outcome) -> None:
        """Store the outcome, then release the lock."""
        lock = self.running.pop(cell)
        try:
            if outcome.files is not None:
                sync = outcome.seconds > SECONDS_WORTH_SYNCING
                self.store.commit(cell, outcome.files, sync=sync)
                self._note(cell, outcome.state, outcome.seconds)
            elif outcome.failure is not None:
                self._failed(cell, outcome.failure, outcome.seconds)
        except OSError as error:  # a full disk: stored results are safe, but stop here
            self.summary.storage_error = f"{error.strerror} ({cell.label})"
            self.summary.errors[cell] = f"computed, but not stored: {error.strerror}"
            self._note(cell, "failed", outcome.seconds, self.summary.errors[cell])
        finally:
            self.store.unlock(cell, lock)

    def _failed(self, cell: Cell, failure: dict[str, Any], seconds: float) -> None:
        if failure["reason"] == "killed" and self.tries[cell] < TRIES and not self.stopping:
            self.view.retried(cell, failure["error"])
            self.pending.appendleft(cell)
            return
        self.summary.errors[cell] = failure["error"]
        self._note(cell, "failed", seconds, failure["error"])
        self.store.fail(cell, {**failure, "fingerprint": fingerprint_of(cell)})

    def _note(self, cell: Cell, state: str, seconds: float, note: str = "") -> None:
        self.summary.states[cell] = state
        if self.session is not None and seconds > 0:
            self.session.cells += 1
        self.view.settled(cell, state, seconds, note)
