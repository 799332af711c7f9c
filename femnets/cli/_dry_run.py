"""What a run would do: cells, memory and predicted time per study, and nothing is computed.

Times come from the runs that are here and, for what they have not, from the kept run
(`bench/store/times.py`); the machines they were measured on are named. Without any it is said so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.core.guards.text import one_line

if TYPE_CHECKING:
    from bench.cells import Cell
    from bench.store.times import KnownTimes, Time
    from bench.studies import Plan


@dataclass(frozen=True)
class Forecast:
    """One study: its cells, without those that studies before it have, and their cost."""

    study: str
    cells: int
    done: int  # in the run already
    memory_bytes: int  # of the largest
    seconds: float | None  # of one core, for those not done; None: nothing to go by
    alone_seconds: float  # of these, in cells that share the machine with none
    guessed: int  # cells whose time follows from cells with other settings
    unknown: int  # cells without any time


def prediction(plans: Sequence[Plan], run: Path, jobs: int | None) -> dict[str, Any]:
    """By all times that can be found."""
    from bench.store.times import KnownTimes

    known = KnownTimes.found()
    return document(forecasts(plans, run, known), jobs, known.machines)


def forecasts(plans: Sequence[Plan], run: Path, known: KnownTimes) -> list[Forecast]:
    from bench.cells import needs_bytes

    done = known.done_in(run)
    seen: set[str] = set()
    found = []
    for plan in plans:
        own = [cell for cell in dict.fromkeys(plan.cells) if cell.key not in seen]
        seen |= {cell.key for cell in own}
        left = [cell for cell in own if cell.key not in done]
        times = [known.predicted(cell) for cell in left]
        there = [time for time in times if time is not None]
        found.append(
            Forecast(
                study=plan.study,
                cells=len(own),
                done=len(own) - len(left),
                memory_bytes=max((needs_bytes(cell) for cell in own), default=0),
                seconds=sum(t.seconds for t in there) if there or not left else None,
                alone_seconds=_alone(left, times),
                guessed=sum(time.guessed for time in there),
                unknown=len(times) - len(there),
            )
        )
    return found


def _alone(cells: Sequence[Cell], times: Sequence[Time | None]) -> float:
    from bench.cells import runs_alone

    pairs = zip(cells, times, strict=True)
    return sum(time.seconds for cell, time in pairs if time is not None and runs_alone(cell))


def document(
    found: Sequence[Forecast], jobs: int | None, machines: Sequence[str] = ()
) -> dict[str, Any]:
    """The studies and all of them together; seconds of a wall clock if cores share the work, but
    for cells that run alone."""
    cores = max(1, jobs if jobs is not None else os.cpu_count() or 1)
    known = [entry.seconds for entry in found if entry.seconds is not None]
    alone = sum(entry.alone_seconds for entry in found)
    return {
        "studies": [asdict(entry) for entry in found],
        "cells": sum(entry.cells for entry in found),
        "done": sum(entry.done for entry in found),
        "memory_bytes": max((entry.memory_bytes for entry in found), default=0),
        "seconds": sum(known) if known else None,
        "cores": cores,
        "wall_seconds": alone + (sum(known) - alone) / cores if known else None,
        "machines": list(machines),
        "unknown": sum(entry.unknown for entry in found),
    }


def lines(told: dict[str, Any]) -> Iterator[str]:
    """For a terminal, within 80 columns."""
    cores = told["cores"]
    yield f"{'study':<18}{'cells':>7}{'done':>7}{'memory':>10}  predicted on {cores} cores"
    for entry in told["studies"]:
        memory = f"{entry['memory_bytes'] / 2**30:.1f} GiB"
        head = f"{entry['study'][:17]:<18}{entry['cells']:>7}{entry['done']:>7}{memory:>10}"
        yield f"{head}  {_time(_wall(entry, cores))}{_basis(entry)}"
    left, seconds = told["cells"] - told["done"], told["wall_seconds"]
    about = "" if seconds is None else f", about {_time(seconds)} on {cores} cores"
    yield f"{left} cells to compute{about}"
    for machine in told["machines"] if seconds is not None else ():
        yield one_line(f"times measured on {machine}")


def _wall(entry: dict[str, Any], cores: int) -> float | None:
    if entry["seconds"] is None:
        return None
    alone: float = entry["alone_seconds"]
    return alone + (entry["seconds"] - alone) / cores


def _basis(entry: dict[str, Any]) -> str:
    if entry["unknown"]:
        return f" ({entry['unknown']} like none here)"
    return f" ({entry['guessed']} scaled)" if entry["guessed"] else ""


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
