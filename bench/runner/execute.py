"""One cell in this process: the only place where a cell's `run` is called."""

from __future__ import annotations

import time
import traceback
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from bench.cells import Cell, load_kind, runs_alone, threads_of
from bench.core.plugins import admit
from bench.measure.load import OtherWork
from bench.store.files import encoded
from bench.store.fingerprint import fingerprint_of
from bench.store.provenance import provenance
from fem.memory import reset_peak

LOG_BYTES = 32_000  # kept from the end of a failed cell's output


@dataclass(frozen=True)
class Outcome:
    """The files of a result, ready to be written, or a failure: reason, error, log."""

    seconds: float
    state: str = "failed"
    files: dict[str, bytes] | None = None
    failure: dict[str, Any] | None = None


def execute(cell: Cell) -> Outcome:
    """Run a cell. Any exception that it raises becomes a failure with its traceback."""
    admit(cell.kind)  # the sender made this cell in code
    reset_peak()
    other = OtherWork()
    start, clock = time.time(), time.perf_counter()
    try:
        # Counting other processes takes milliseconds, so only cells that measure time do it.
        with other if runs_alone(cell) else nullcontext():
            clock, cpu_clock = time.perf_counter(), time.process_time()
            result = load_kind(cell.kind).run(cell.settings)
            seconds, cpu_seconds = time.perf_counter() - clock, time.process_time() - cpu_clock
        origin = provenance(
            threads=threads_of(cell),
            seed=cell.config.get("seed"),
            start=start,
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            other_cores=other.cores,
        )
        files = encoded(cell, result, fingerprint_of(cell), origin)
        return Outcome(seconds, "diverged" if result.diverged else "done", files)
    except Exception as error:
        seconds = time.perf_counter() - clock
        reason = "memory" if _out_of_memory(error) else "raised"
        text = " ".join(str(error).split())
        message = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return Outcome(
            seconds, failure=failed(cell, reason, message, traceback.format_exc(), seconds)
        )


def failed(cell: Cell, reason: str, error: str, log: str, seconds: float) -> dict[str, Any]:
    """A failure as the store keeps it; reasons: raised, memory, killed, time limit, other code."""
    return {
        "reason": reason,
        "error": error,
        "log": log[-LOG_BYTES:],
        "provenance": provenance(
            threads=threads_of(cell),
            seed=cell.config.get("seed"),
            start=time.time() - seconds,
            seconds=seconds,
        ),
    }


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)  # torch's words
