"""Forecast of a run: cells, memory and predicted time per study.

A cell is predicted to take as long as before, else by medians of its kind, in the runs of this
folder and in the kept run of the checkout: its training per evaluation or step, and the rest as it
is. Times are of one core: CPU seconds where they were recorded, since wall time on a busy machine
is unreliable.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.cells import Cell, needs_bytes, runs_alone
from bench.core.guards.text import one_line
from bench.measure.medians import median
from bench.store.files import StoredResult
from bench.store.folder import MARK, RUNS, Store
from bench.store.parquet import RESULTS, read_results
from bench.studies import Plan

KEPT = Path("docs") / "paper" / RESULTS
ROOT = Path(__file__).resolve().parent.parent.parent


class KnownTimes:
    """The times of all runs in this folder, which take precedence, and of the kept run."""

    def __init__(self) -> None:
        self.cells: dict[str, float] = {}
        self.kinds: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.machines: dict[str, None] = {}
        for record in [*_kept(), *_stored(RUNS.glob(f"*/{MARK}"))]:
            seconds = record.provenance.get("cpu_seconds") or record.provenance.get("seconds")
            if seconds is not None:
                self.cells[record.key] = seconds
                self.kinds[record.kind].append(_parts(record, seconds))
            if "processor" in (machine := record.provenance.get("machine", {})):
                size = f"{machine.get('cores')} cores, {machine.get('memory_gib')} GiB"
                self.machines[f"{machine['processor']}, {size}"] = None
        self.medians = {
            kind: [*map(median, zip(*t, strict=True))] for kind, t in self.kinds.items()
        }

    def predicted(self, cell: Cell) -> float | None:
        """Seconds of one core; None if no run has a cell of this kind."""
        if cell.key in self.cells or cell.kind not in self.medians:
            return self.cells.get(cell.key)
        fixed, rate = self.medians[cell.kind]
        return fixed + rate * _budget(cell.config)


def _parts(record: StoredResult, seconds: float) -> tuple[float, float]:
    """Split the seconds of a cell: those that no budget decides, and those of an evaluation or
    step. Without a timed training all seconds of a cell with a budget are its training."""
    if not (budget := _budget(record.config)):
        return seconds, 0.0
    trained, whole = record.values.get("seconds"), record.provenance.get("seconds")
    share = min(1.0, trained / whole) if trained and whole else 1.0
    return seconds * (1 - share), seconds * share / budget


def _budget(config: Mapping[str, Any]) -> float:
    """Evaluations or steps; 0 for a cell without such a limit."""
    return float(config.get("evaluations") or config.get("steps") or 0)


def _stored(marks: Iterable[Path]) -> Iterator[StoredResult]:
    """The results of runs; those of another version or damaged are left out."""
    for path in sorted(marks):
        try:
            yield from Store(path.parent).records(verify=False)
        except (UserError, OSError):  # `femnets status` reports what is wrong
            continue


def _kept() -> list[StoredResult]:
    """The kept run of the working folder or of the checkout that this code is from."""
    for folder in (Path(), ROOT):
        if (folder / KEPT).is_file():
            try:
                return [record for _, _, record in read_results(folder / KEPT)]
            except UserError:  # damaged, or no pyarrow: a prediction is not worth an error
                return []
    return []


def forecast(plans: Sequence[Plan], run: Path, jobs: int | None) -> dict[str, Any]:
    """The studies and all of them together; `wall_seconds` if cores share the work, except for
    cells that run alone."""
    known = KnownTimes()
    done = {record.key for record in _stored([run / MARK])}
    studies, seen = [], set[Cell]()
    for plan in plans:
        own = [cell for cell in dict.fromkeys(plan.cells) if cell not in seen]
        seen |= {*own}
        studies.append(_of_study(plan.study, own, done, known))
    cores = max(1, jobs if jobs is not None else os.cpu_count() or 1)
    seconds = [entry["seconds"] for entry in studies if entry["seconds"] is not None]
    alone = sum(entry["alone_seconds"] for entry in studies)
    return {
        "studies": studies,
        **{name: sum(entry[name] for entry in studies) for name in ("cells", "done", "unknown")},
        "memory_bytes": max((entry["memory_bytes"] for entry in studies), default=0),
        "seconds": sum(seconds) if seconds else None,
        "cores": cores,
        "wall_seconds": alone + (sum(seconds) - alone) / cores if seconds else None,
        "machines": [*known.machines],
    }


def _of_study(
    study: str, cells: Sequence[Cell], done: set[str], known: KnownTimes
) -> dict[str, Any]:
    """A study's cells, without those of earlier studies, and their cost: seconds of one core for
    cells not done (None: no data), and how many times are unknown or the median of a kind."""
    left = [cell for cell in cells if cell.key not in done]
    times = {cell: s for cell in left if (s := known.predicted(cell)) is not None}
    return {
        "study": study,
        "cells": len(cells),
        "done": len(cells) - len(left),
        "memory_bytes": max(map(needs_bytes, cells), default=0),
        "seconds": sum(times.values()) if times or not left else None,
        "alone_seconds": sum(seconds for cell, seconds in times.items() if runs_alone(cell)),
        "guessed": sum(cell.key not in known.cells for cell in times),
        "unknown": len(left) - len(times),
    }


def lines(forecast: dict[str, Any]) -> Iterator[str]:
    """A line per study, one for all, and the machines that the times were measured on, within 80
    columns."""
    cores = forecast["cores"]
    yield f"{'study':<18}{'cells':>7}{'done':>7}{'memory':>10}  predicted on {cores} cores"
    for entry in forecast["studies"]:
        memory = f"{entry['memory_bytes'] / 2**30:.1f} GiB"
        head = f"{entry['study'][:17]:<18}{entry['cells']:>7}{entry['done']:>7}{memory:>10}"
        yield f"{head}  {_study_time(entry, cores)}"
    left, seconds = forecast["cells"] - forecast["done"], forecast["wall_seconds"]
    time = "" if seconds is None else f", about {_time(seconds)} on {cores} cores"
    unknown = f" without {forecast['unknown']} of unknown time" if forecast["unknown"] else ""
    yield f"{left} cells to compute{time}{unknown}"
    for machine in forecast["machines"] if seconds is not None else ():
        yield one_line(f"times measured on {machine}")


def _study_time(entry: dict[str, Any], cores: int) -> str:
    """The time of a study, and for how many of its cells it is unknown or a median."""
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
