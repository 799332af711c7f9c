"""Every method under one heading: what it was told, what it cost, how far it came.

A contender is one variant of a method on one problem; runs that differ by seed only are one
contender with a spread. What it is called, which track it plays in and what it was told, its kind
of cell declares. Tracks are never mixed in a table without their label (maths 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bench.store.results import TRACKS, Appearance, Results, StoredResult, appearance, median

TOLD = TRACKS


@dataclass(frozen=True)
class Contender:
    appearance: Appearance  # of its first result
    problem: str
    unknowns: int
    records: tuple[StoredResult, ...]

    def median(self, value: str) -> float | None:
        """The median over seeds, a diverged run as infinite; None where that is no number."""
        middle = Results(self.records).median(value)
        return middle if middle is not None and math.isfinite(middle) else None

    name = property(lambda self: self.appearance.title)
    track = property(lambda self: self.appearance.track)
    features = property(lambda self: self.appearance.inputs)
    error = property(lambda self: self.median("l2_error"))
    seconds = property(lambda self: self.median("seconds"))

    @property
    def look(self) -> str:
        """The key of its look in figures: family, member and, where it is one, the variant."""
        return f"{self.appearance.family}/{self.appearance.look}"

    @property
    def is_net(self) -> bool:
        return self.appearance.family == "net"

    @property
    def seeds(self) -> int:
        return len(self.records)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(record.key for record in self.records)


def contested(results: Iterable[StoredResult]) -> list[str]:
    """The problems on which something competes."""
    return sorted({str(r.config["problem"]) for r in results if appearance(r) is not None})


def contenders(results: Results, problem: str) -> list[Contender]:
    """All contenders on a problem, in the order of tracks and names."""
    groups: dict[tuple[str, ...], list[tuple[StoredResult, Appearance]]] = {}
    for record in results:
        if record.config.get("problem") == problem and (shown := appearance(record)):
            key = (shown.track, shown.title, shown.look, shown.inputs)
            groups.setdefault(key, []).append((record, shown))
    found = [_contender(problem, group) for group in groups.values()]
    return sorted(found, key=lambda c: (c.track, c.name, c.unknowns))


def _contender(problem: str, group: list[tuple[StoredResult, Appearance]]) -> Contender:
    """Unknowns are a median: a tuned net's size differs from seed to seed."""
    unknowns = int(median(shown.unknowns for _, shown in group))
    return Contender(group[0][1], problem, unknowns, tuple(record for record, _ in group))
