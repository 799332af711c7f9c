"""A session: when a run computed, how much, and how busy the machine was with other work.

The workers are children of this process, so the CPU time of all other processes is other work (on
a cluster: on the machine where the run was started). It is stored every minute: a killed run leaves
its record of a minute ago.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from bench.measure.load import OtherWork
from bench.store.folder import Store

SECONDS_BETWEEN = 60.0


class Session:
    """A session's record. `cells` counts computed cells; call `tick` at any time, `end` last."""

    def __init__(self, store: Store):
        self.cells = 0
        self._store, self._start = store, datetime.now(UTC)
        self._clock = self._stored = time.monotonic()
        # Names sort by time; two runs on one store may start at once.
        self._name = f"{self._start:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}.json"
        self._other = OtherWork().__enter__()

    def tick(self) -> None:
        if time.monotonic() - self._stored >= SECONDS_BETWEEN:
            self._stored = time.monotonic()
            self.end()

    def end(self) -> None:
        """Measure other work since the start, and store the record."""
        if not self.cells:
            return
        self._other.__exit__(None, None, None)
        document = {
            "start": self._start.isoformat(timespec="seconds"),
            "seconds": time.monotonic() - self._clock,
            "cells": self.cells,
            "other_cores": self._other.cores,
        }
        with suppress(OSError):  # a full disk is reported when a result cannot be stored
            self._store.put(Path("sessions") / self._name, document)
