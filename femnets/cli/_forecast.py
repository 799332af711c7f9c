"""`--dry-run` in a terminal: what a run would take, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.core.guards.text import one_line


def lines(forecast: dict[str, Any]) -> Iterator[str]:
    """A line per study, one for all, and the machines that the times were measured on."""
    cores = forecast["cores"]
    yield f"{'study':<18}{'cells':>7}{'done':>7}{'memory':>10}  predicted on {cores} cores"
    for entry in forecast["studies"]:
        memory = f"{entry['memory_bytes'] / 2**30:.1f} GiB"
        head = f"{entry['study'][:17]:<18}{entry['cells']:>7}{entry['done']:>7}{memory:>10}"
        yield f"{head}  {_study_time(entry, cores)}"
    left, seconds = forecast["cells"] - forecast["done"], forecast["wall_seconds"]
    time = "" if seconds is None else f", about {_time(seconds)} on {cores} cores"
    yield f"{left} cells to compute{time}"
    for machine in forecast["machines"] if seconds is not None else ():
        yield one_line(f"times measured on {machine}")


def _study_time(entry: dict[str, Any], cores: int) -> str:
    """The time of a study, and how many of its cells it is unknown or a median for."""
    if entry["seconds"] is None:
        return "unknown"
    alone = entry["alone_seconds"]
    time = _time(alone + (entry["seconds"] - alone) / cores)
    if entry["unknown"]:
        return f"{time} ({entry['unknown']} unknown)"
    return f"{time} ({entry['guessed']} by medians)" if entry["guessed"] else time


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
