"""Forecast of a run: cells, memory and predicted time per study.

A cell is predicted to take as long as before, else as long as the most similar cells of its kind,
per evaluation or step, in the runs of this folder and in the kept run of the checkout. Times are of
one core: CPU seconds where they were recorded, since wall time on a busy machine is unreliable.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import log
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


#: Settings that hardly change the time of a cell: problems of one's own take that of others.
EQUAL_COST = ("problem", "seed", "data_seed", "every")
OTHER = 3.0  # how far apart two settings are that are no numbers; numbers: |log of their ratio|

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class KnownTimes:
    """Seconds by the key of a cell, by kind and settings, and the machines of both."""

    cells: Mapping[str, float]
    kinds: Mapping[str, Mapping[Settings, list[float]]]
    machines: list[str]
    similar: dict[tuple[str, Settings], float] = field(default_factory=dict)

    @classmethod
    def found(cls) -> KnownTimes:
        """The times of all runs in this folder, which take precedence, and of the kept run."""
        cells: dict[str, float] = {}
        kinds: dict[str, dict[Settings, list[float]]] = defaultdict(lambda: defaultdict(list))
        machines: dict[str, None] = {}
        for record in [*_kept(), *_stored(RUNS.glob(f"*/{MARK}"))]:
            seconds = record.provenance.get("cpu_seconds") or record.provenance.get("seconds")
            if seconds is not None:
                cells[record.key] = seconds
                kinds[record.kind][_settings(record.config)].append(seconds)
            if machine := _machine(record.provenance.get("machine", {})):
                machines[machine] = None
        return cls(cells, kinds, list(machines))

    def predicted(self, cell: Cell) -> float | None:
        """Seconds of one core; None if no run has a cell of this kind."""
        if cell.key in self.cells or cell.kind not in self.kinds:
            return self.cells.get(cell.key)
        asked = cell.kind, _settings(cell.config)
        if asked not in self.similar:
            self.similar[asked] = self._of_similar(*asked)
        return self.similar[asked]

    def _of_similar(self, kind: str, settings: Settings) -> float:
        """The median over the most similar cells, scaled by the number of evaluations or steps."""
        known, wanted = self.kinds[kind], dict(settings)
        nearest = min(known, key=lambda other: _distance(wanted, dict(other)))
        return median(known[nearest]) * _budget(wanted) / _budget(dict(nearest))


def _settings(config: Mapping[str, Any]) -> Settings:
    plain = {name: str(v) if isinstance(v, list) else v for name, v in config.items()}
    return tuple(sorted((k, v) for k, v in plain.items() if k not in EQUAL_COST))


def _distance(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    return sum(_apart(a.get(name), b.get(name)) for name in {*a, *b})


def _apart(a: Any, b: Any) -> float:
    if a == b:
        return 0.0
    numbers = all(type(v) in (int, float) and v > 0 for v in (a, b))
    return abs(log(a / b)) if numbers else OTHER


def _budget(settings: Mapping[str, Any]) -> float:
    """Evaluations or steps; 1 for a cell without such a limit."""
    return float(settings.get("evaluations") or settings.get("steps") or 1)


def _machine(machine: Mapping[str, Any]) -> str | None:
    if "processor" not in machine:
        return None
    return f"{machine['processor']}, {machine.get('cores')} cores, {machine.get('memory_gib')} GiB"


def _stored(marks: Iterable[Path]) -> Iterable[StoredResult]:
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


@dataclass(frozen=True)
class Forecast:
    """One study: its cells, without those of earlier studies, and their cost."""

    study: str
    cells: int
    done: int  # in the run already
    memory_bytes: int  # of the largest
    seconds: float | None  # of one core, for cells not done; None: no data
    alone_seconds: float  # of these, in cells that run alone
    guessed: int  # cells whose time is that of similar ones
    unknown: int  # cells without any time

    @classmethod
    def of(cls, study: str, cells: Sequence[Cell], done: set[str], known: KnownTimes) -> Forecast:
        left = [cell for cell in cells if cell.key not in done]
        times = {cell: s for cell in left if (s := known.predicted(cell)) is not None}
        return cls(
            study=study,
            cells=len(cells),
            done=len(cells) - len(left),
            memory_bytes=max(map(needs_bytes, cells), default=0),
            seconds=sum(times.values()) if times or not left else None,
            alone_seconds=sum(seconds for cell, seconds in times.items() if runs_alone(cell)),
            guessed=sum(cell.key not in known.cells for cell in times),
            unknown=len(left) - len(times),
        )


def forecast(plans: Sequence[Plan], run: Path, jobs: int | None) -> dict[str, Any]:
    """The studies and all of them together; `wall_seconds` if cores share the work, except for
    cells that run alone."""
    known = KnownTimes.found()
    done = {record.key for record in _stored([run / MARK])}
    studies, seen = [], set[Cell]()
    for plan in plans:
        own = [cell for cell in dict.fromkeys(plan.cells) if cell not in seen]
        seen |= {*own}
        studies.append(Forecast.of(plan.study, own, done, known))
    cores = max(1, jobs if jobs is not None else os.cpu_count() or 1)
    seconds = [entry.seconds for entry in studies if entry.seconds is not None]
    alone = sum(entry.alone_seconds for entry in studies)
    return {
        "studies": [asdict(entry) for entry in studies],
        "cells": sum(entry.cells for entry in studies),
        "done": sum(entry.done for entry in studies),
        "memory_bytes": max((entry.memory_bytes for entry in studies), default=0),
        "seconds": sum(seconds) if seconds else None,
        "cores": cores,
        "wall_seconds": alone + (sum(seconds) - alone) / cores if seconds else None,
        "machines": known.machines,
        "unknown": sum(entry.unknown for entry in studies),
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
    yield f"{left} cells to compute{time}"
    for machine in forecast["machines"] if seconds is not None else ():
        yield one_line(f"times measured on {machine}")


def _study_time(entry: dict[str, Any], cores: int) -> str:
    """The time of a study, and how many of its cells it is unknown or that of similar ones."""
    if entry["seconds"] is None:
        return "unknown"
    alone = entry["alone_seconds"]
    time = _time(alone + (entry["seconds"] - alone) / cores)
    if entry["unknown"]:
        return f"{time} ({entry['unknown']} unknown)"
    return f"{time} ({entry['guessed']} by similar cells)" if entry["guessed"] else time


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
