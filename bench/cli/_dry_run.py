"""What a run would do: cells, memory and predicted time per study, and nothing is computed.

Times come from the runs that are here: the seconds of the very same cell where one was computed,
else the median of its kind in its study, else of its kind anywhere. Without any it is said so.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.medians import median

if TYPE_CHECKING:
    from bench.cells import Cell
    from bench.studies import Plan


@dataclass(frozen=True)
class Forecast:
    """One study: its cells, without those that studies before it have, and their cost."""

    study: str
    cells: int
    done: int  # in the run already
    memory_bytes: int  # of the largest
    seconds: float | None  # of one core, for those not done; None: nothing to go by
    guessed: int  # cells whose time is that of others of their kind
    unknown: int  # cells without any time


def forecasts(plans: Sequence[Plan], run: Path) -> list[Forecast]:
    from bench.cells import needs_bytes

    known = KnownTimes.here()
    done = {key for key, path in known.where.items() if path == run}
    seen: set[str] = set()
    found = []
    for plan in plans:
        own = [cell for cell in dict.fromkeys(plan.cells) if cell.key not in seen]
        seen |= {cell.key for cell in own}
        left = [cell for cell in own if cell.key not in done]
        times = [known.seconds(plan.study, cell) for cell in left]
        there = [seconds for seconds, _ in times if seconds is not None]
        found.append(
            Forecast(
                study=plan.study,
                cells=len(own),
                done=len(own) - len(left),
                memory_bytes=max((needs_bytes(cell) for cell in own), default=0),
                seconds=sum(there) if there or not left else None,
                guessed=sum(guess for seconds, guess in times if seconds is not None),
                unknown=len(times) - len(there),
            )
        )
    return found


class KnownTimes:
    """Seconds of the cells in all runs here."""

    def __init__(self) -> None:
        self.by_key: dict[str, float] = {}
        self.where: dict[str, Path] = {}
        self.by_kind: dict[str, list[float]] = defaultdict(list)
        self.by_study: dict[tuple[str, str], list[float]] = defaultdict(list)

    @classmethod
    def here(cls) -> KnownTimes:
        found = cls()
        for path, studies, record in _stored():
            seconds = record.provenance.get("seconds")
            if isinstance(seconds, int | float):
                found.by_key[record.key] = float(seconds)
                found.where[record.key] = path
                found.by_kind[record.kind].append(float(seconds))
                for study in studies:
                    found.by_study[study, record.kind].append(float(seconds))
        return found

    def seconds(self, study: str, cell: Cell) -> tuple[float | None, bool]:
        """Of a cell, and whether it is that of others."""
        if cell.key in self.by_key:
            return self.by_key[cell.key], False
        others = self.by_study.get((study, cell.kind)) or self.by_kind.get(cell.kind)
        return (median(others), True) if others else (None, True)


def _stored() -> Iterator[tuple[Path, list[str], Any]]:
    """Every result under runs/, with the studies of its run that have cells of its kind."""
    from bench.errors import UserError
    from bench.store.folder import RUNS, Store

    for path in sorted(Path(RUNS).glob("*/femnets.json")):
        try:
            store = Store(path.parent)
            studies = list(store.plans())
            for record in store.records():
                yield path.parent, studies, record
        except (UserError, OSError):  # another version's, or damaged: `femnets status` says what
            continue


def document(found: Sequence[Forecast], jobs: int | None) -> dict[str, Any]:
    """The studies and all of them together; seconds of a wall clock if cores share the work."""
    cores = max(1, jobs if jobs is not None else os.cpu_count() or 1)
    known = [entry.seconds for entry in found if entry.seconds is not None]
    return {
        "studies": [asdict(entry) for entry in found],
        "cells": sum(entry.cells for entry in found),
        "done": sum(entry.done for entry in found),
        "memory_bytes": max((entry.memory_bytes for entry in found), default=0),
        "seconds": sum(known) if known else None,
        "cores": cores,
        "wall_seconds": sum(known) / cores if known else None,
        "unknown": sum(entry.unknown for entry in found),
    }


def lines(told: dict[str, Any]) -> Iterator[str]:
    """For a terminal, within 80 columns."""
    yield f"{'study':<18}{'cells':>7}{'done':>7}{'memory':>10}  predicted, one core"
    for entry in told["studies"]:
        memory = f"{entry['memory_bytes'] / 2**30:.1f} GiB"
        head = f"{entry['study'][:17]:<18}{entry['cells']:>7}{entry['done']:>7}{memory:>10}"
        yield f"{head}  {_time(entry['seconds'])}{_basis(entry)}"
    left, seconds = told["cells"] - told["done"], told["wall_seconds"]
    about = "" if seconds is None else f", about {_time(seconds)} on {told['cores']} cores"
    yield f"{left} cells to compute{about}; nothing was run"


def _basis(entry: dict[str, Any]) -> str:
    if entry["unknown"]:
        return f" ({entry['unknown']} like none here)"
    return f" ({entry['guessed']} by their kind)" if entry["guessed"] else ""


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
