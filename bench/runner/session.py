"""A session: when a run computed, how much, and how busy the machine was with other work.

The workers are children of this process, so the CPU time of all other processes is other work (on
a cluster: on the machine where the run was started). It is measured and stored every minute: a
killed run leaves its record of a minute ago.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from bench.measure.load import OtherWork
from bench.store.folder import Store

WINDOW_SECONDS = 60.0


class Session:
    """A session's record. `cells` counts computed cells; call `tick` at any time, `end` last."""

    def __init__(self, store: Store, window: float = WINDOW_SECONDS):
        self.cells = 0
        self._store, self._window = store, window
        self._start, self._clock = datetime.now(UTC), time.monotonic()
        # Names sort by time; two runs on one store may start at once.
        self._name = f"{self._start:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}.json"
        self._windows: list[tuple[float, float]] = []  # seconds, cores
        self._open()

    def _open(self) -> None:
        self._began, self._other = time.monotonic(), OtherWork().__enter__()

    def tick(self) -> None:
        if time.monotonic() - self._began >= self._window:
            self.end()
            self._open()

    def end(self) -> None:
        """Measure the current window and store the record."""
        self._other.__exit__(None, None, None)
        if self._other.cores is not None:
            self._windows.append((time.monotonic() - self._began, self._other.cores))
        if not self.cells:
            return
        with suppress(OSError):  # a full disk is reported when a result cannot be stored
            self._store.put(Path("sessions") / self._name, self.document())

    def document(self) -> dict[str, object]:
        seconds = sum(length for length, _ in self._windows)
        busy = sum(length * cores for length, cores in self._windows)
        return {
            "start": self._start.isoformat(timespec="seconds"),
            "seconds": time.monotonic() - self._clock,
            "cells": self.cells,
            "other_cores": busy / seconds if seconds else None,
            "most_other_cores": max((cores for _, cores in self._windows), default=None),
        }
