"""Benchmark runs saved by pytest-benchmark: read with care, and compared beyond their noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.core.guards.reading import json_object, plain_bytes
from bench.core.guards.text import one_line
from bench.measure.medians import median

FOLDER = ".benchmarks"
MOST_BYTES = 64 * 2**20
SHORTEST, LONGEST = 1e-12, 1e9  # seconds that a benchmark may take
FEW_ROUNDS = 5  # below, quartiles say little, and only large changes are reported
NOISE_OF_FEW = 0.3
NOISE_OF_MANY = 0.05  # what a quiet machine drifts between two runs, whatever the rounds say


@dataclass(frozen=True)
class Timed:
    """One benchmark of a saved run."""

    name: str
    group: str
    median: float
    spread: float  # between the quartiles
    rounds: int
    info: dict[str, Any] = field(default_factory=dict)
    file: str = ""

    @property
    def noise(self) -> float:
        """Half the width of an interval for the median, relative: the notch of a box plot."""
        if self.rounds < FEW_ROUNDS:
            return NOISE_OF_FEW
        return max(NOISE_OF_MANY, 1.57 * self.spread / math.sqrt(self.rounds) / self.median)

    def errors(self) -> dict[str, float]:
        """Quality figures that should not grow."""
        return {
            name: float(value)
            for name, value in self.info.items()
            if "error" in name and isinstance(value, int | float) and not isinstance(value, bool)
        }


@dataclass(frozen=True)
class SavedRun:
    path: Path
    when: str
    timed: dict[str, Timed]  # by full name
    machine: dict[str, Any]
    commit: str


@dataclass(frozen=True)
class Change:
    """One benchmark in two runs: seconds after over seconds before, the common drift taken out."""

    name: str
    group: str
    before: float
    after: float
    ratio: float
    noise: float

    @property
    def moved(self) -> bool:
        return abs(math.log(self.ratio)) > math.log1p(self.noise)


@dataclass(frozen=True)
class Compared:
    drift: float  # by which everything is slower (above 1) or faster: the machine, not the code
    changes: list[Change]
    errors: list[tuple[str, str, float, float]]  # benchmark, figure, before, after
    only_before: list[str]
    only_after: list[str]

    def document(self) -> dict[str, Any]:
        return {
            "drift": self.drift,
            "moved": [vars(change) for change in self.changes if change.moved],
            "unmoved": sum(not change.moved for change in self.changes),
            "errors": [
                dict(zip(("name", "figure", "before", "after"), row, strict=True))
                for row in self.errors
            ],
            "only_before": self.only_before,
            "only_after": self.only_after,
        }


def saved_files(folder: Path) -> list[Path]:
    """All saved runs below a folder, the oldest first."""
    files = [path for path in folder.rglob("*.json") if path.is_file()]
    return sorted(files, key=lambda path: (path.stat().st_mtime_ns, path.name))


def read(path: Path) -> SavedRun:
    """The run in a file; one line where it is not a saved run."""
    try:
        document = json_object(plain_bytes(path, MOST_BYTES), lenient=True)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise UserError(
            f"{path} cannot be read as a saved benchmark run ({said}); `pytest --benchmark` saves "
            "one"
        ) from None
    if not isinstance(document.get("benchmarks"), list):
        raise UserError(f"{path} is no saved benchmark run: it has no list of benchmarks")
    found = dict(_entries(document["benchmarks"], path))
    machine, commit = document.get("machine_info"), document.get("commit_info")
    return SavedRun(
        path=path,
        when=one_line(str(document.get("datetime", "unknown")))[:16],
        timed=found,
        machine=machine if isinstance(machine, dict) else {},
        commit=_commit(commit),
    )


def _commit(info: Any) -> str:
    found = info.get("id", "unknown") if isinstance(info, dict) else "unknown"
    return one_line(str(found))[:12]


def _entries(entries: list[Any], path: Path) -> Iterator[tuple[str, Timed]]:
    for entry in entries:
        try:
            stats, info = entry["stats"], entry.get("extra_info") or {}
            timed = Timed(
                name=one_line(str(entry["name"])),
                group=one_line(str(entry.get("group") or "other")),
                median=float(stats["median"]),
                spread=float(stats["iqr"]),
                rounds=int(stats["rounds"]),
                info=dict(info),
                file=str(entry.get("fullname") or "").partition("::")[0],
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise UserError(
                f"{path}: a benchmark in it has no median, iqr and rounds; save it again with "
                "`pytest --benchmark`"
            ) from None
        if not (SHORTEST < timed.median < LONGEST and 0 <= timed.spread < LONGEST):
            raise UserError(f"{path}: the median of {timed.name} is {timed.median} s")
        if not _is_targets(timed.info.get("targets")):
            raise UserError(f"{path}: the targets of {timed.name} are not as femnets writes them")
        yield str(entry.get("fullname") or timed.name), timed


def _is_targets(found: Any) -> bool:
    """None, or by name what was compared with what."""
    if not found:
        return True
    return isinstance(found, dict) and all(isinstance(held, dict) for held in found.values())


def compare(before: SavedRun, after: SavedRun) -> Compared:
    """What changed beyond noise, the drift that is common to all benchmarks taken out."""
    common = [name for name in after.timed if name in before.timed]
    ratios = {name: after.timed[name].median / before.timed[name].median for name in common}
    drift = median(ratios.values()) if len(ratios) >= FEW_ROUNDS else 1.0
    changes = []
    for name in common:
        old, new = before.timed[name], after.timed[name]
        noise = old.noise + new.noise
        changes.append(
            Change(new.name, new.group, old.median, new.median, ratios[name] / drift, noise)
        )
    return Compared(
        drift=drift,
        changes=sorted(changes, key=lambda change: -abs(math.log(change.ratio))),
        errors=[
            (after.timed[name].name, figure, was, value)
            for name in common
            for figure, value in after.timed[name].errors().items()
            if (was := before.timed[name].errors().get(figure)) is not None
            and abs(value - was) > 1e-6 * abs(was)
        ],
        only_before=[t.name for name, t in before.timed.items() if name not in after.timed],
        only_after=[t.name for name, t in after.timed.items() if name not in before.timed],
    )
