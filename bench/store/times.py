"""What cells took, and what others will take: of runs that are here, and of the kept run.

A cell is predicted by the same cell, or by cells that differ from it in seeds only; of these a run
that is here comes before the kept one, since it knows this machine. Else by cells of all runs that
share its words (problem, net, optimiser, …) or else its kind: from the two nearest amounts
of work w (`work` of the kind), t = t₁ (w/w₁)^s with their slope s in [0, 1], or ½ where there is
but one: small cells are all overhead, s = 0, and large ones all work, s = 1. Seconds are of one
core: CPU seconds where they were recorded, for the clock of a busy machine says little.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.cells import Cell, work_of
from bench.measure.medians import median
from bench.store.files import StoredResult
from bench.store.folder import RUNS, Store
from bench.store.kept import RESULTS, read_kept

KEPT = Path("docs") / "paper" / RESULTS
ROOT = Path(__file__).resolve().parent.parent.parent
SEEDS = ("seed", "data_seed", "seeds", "data_seeds", "tuning_seeds")
UNKNOWN = 0.5  # a slope between overhead and work
LEVELS = 4  # of likeness: `likenesses`
SAME_SETTINGS = 2  # the first of them: the cell itself, and cells with other seeds


@dataclass(frozen=True)
class Time:
    """Seconds of one core, and whether they follow from cells with other settings."""

    seconds: float
    guessed: bool


class Source:
    """The times of some results, found by what cells have in common."""

    def __init__(self, records: Iterable[StoredResult]):
        self._records = list(records)

    @cached_property
    def machines(self) -> list[str]:
        found = (_machine(record.provenance.get("machine")) for record in self._records)
        return list(dict.fromkeys(filter(None, found)))

    @cached_property
    def _by(self) -> list[dict[str, dict[float, list[float]]]]:
        """Level by level, the seconds of cells alike by their work."""
        levels: list[dict[str, dict[float, list[float]]]] = [
            defaultdict(lambda: defaultdict(list)) for _ in range(LEVELS)
        ]
        for record in self._records:
            seconds = _seconds(record.provenance)
            work = work_of(record.kind, record.config)
            if seconds is None or work is None:
                continue
            for level, name in enumerate(likenesses(record.kind, record.config, record.key)):
                levels[level][name][work].append(seconds)
        return levels

    def seconds(self, names: list[str], work: float, levels: range) -> float | None:
        for level in levels:
            found = self._by[level].get(names[level])
            if found:
                first, *rest = sorted(found, key=lambda other: abs(math.log(other / work)))[:2]
                seconds = median(found[first])
                slope = _slope(first, seconds, rest[0], median(found[rest[0]])) if rest else UNKNOWN
                return seconds * (work / first) ** slope
        return None


def _slope(w1: float, t1: float, w2: float, t2: float) -> float:
    if min(t1, t2) <= 0:
        return 1.0
    return min(max(math.log(t2 / t1) / math.log(w2 / w1), 0.0), 1.0)


@dataclass(frozen=True)
class KnownTimes:
    """All that is known: `sources` in the order in which they are believed, and all together."""

    sources: list[Source]
    together: Source
    where: Mapping[str, set[Path]]  # the runs here that have a cell

    @classmethod
    def found(cls) -> KnownTimes:
        here: list[StoredResult] = []
        where: dict[str, set[Path]] = defaultdict(set)
        for path, record in _stored():
            here.append(record)
            where[record.key].add(path)
        kept = _kept()
        return cls([Source(here), Source(kept)], Source([*here, *kept]), where)

    def done_in(self, run: Path) -> set[str]:
        return {key for key, paths in self.where.items() if run in paths}

    @property
    def machines(self) -> list[str]:
        return self.together.machines

    def predicted(self, cell: Cell) -> Time | None:
        """First the same settings, wherever they were measured; then others, scaled."""
        names = likenesses(cell.kind, cell.config, cell.key)
        work = work_of(cell.kind, cell.config)
        if work is None:
            return None
        for source in self.sources:
            seconds = source.seconds(names, work, range(SAME_SETTINGS))
            if seconds is not None:
                return Time(seconds, guessed=False)
        seconds = self.together.seconds(names, work, range(SAME_SETTINGS, LEVELS))
        return None if seconds is None else Time(seconds, guessed=True)


def likenesses(kind: str, config: Mapping[str, Any], key: str) -> list[str]:
    """What a cell is found by, from the cell itself to its kind.

    Lists of seeds count by their length: it is part of the work.
    """
    told = {name: value for name, value in config.items() if name not in SEEDS}
    counts = {name: len(config[name]) for name in SEEDS if isinstance(config.get(name), list)}
    words = {name: value for name, value in told.items() if isinstance(value, str | bool)}
    variant, alike = (json.dumps([kind, part], sort_keys=True) for part in (told | counts, words))
    return [key, variant, alike, kind]


def _seconds(story: Mapping[str, Any]) -> float | None:
    for name in ("cpu_seconds", "seconds"):
        if isinstance(story.get(name), int | float):
            return float(story[name])
    return None


def _machine(about: Any) -> str | None:
    if not isinstance(about, dict) or "processor" not in about:
        return None
    return f"{about['processor']}, {about.get('cores')} cores, {about.get('memory_gib')} GiB"


def _stored() -> Iterable[tuple[Path, StoredResult]]:
    """Every result under runs/."""
    for path in sorted(RUNS.glob("*/femnets.json")):
        try:
            for record in Store(path.parent).records(verify=False):
                yield path.parent, record
        except (UserError, OSError):  # another version's, or damaged: `femnets status` says what
            continue


def _kept() -> list[StoredResult]:
    """The kept run of the checkout that one stands in, or that the code is from; else nothing."""
    for folder in (Path(), ROOT):
        if (folder / KEPT).is_file():
            try:
                return [kept.record for kept in read_kept(folder / KEPT)]
            except UserError:  # damaged, or no pyarrow: a prediction is not worth an error
                return []
    return []
