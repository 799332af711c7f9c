"""The file that pytest-benchmark saves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Timed:
    """One benchmark of a saved run."""

    name: str
    group: str
    median: float
    spread: float  # between the quartiles
    rounds: int
    info: Mapping[str, Any]

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An entry of `extra_info` that should have entries of its own."""
        entry = self.info.get(name)
        return entry if isinstance(entry, Mapping) else {}

    def mappings(self, name: str) -> dict[str, Mapping[str, Any]]:
        """The entries of such an entry that have entries themselves."""
        entries = self.mapping(name).items()
        return {key: entry for key, entry in entries if isinstance(entry, Mapping)}


@dataclass(frozen=True)
class SavedRun:
    """All benchmarks of one call, and where and when they ran."""

    when: str
    commit: str
    machine: Mapping[str, Any]
    timed: list[Timed]


def read(path: Path) -> SavedRun:
    """Read what pytest-benchmark wrote; a number that does not exist is None."""
    document = json.loads(path.read_bytes(), parse_constant=lambda _: None)
    return SavedRun(
        when=document["datetime"][:16],
        commit=str(document["commit_info"].get("id", "unknown"))[:12],
        machine=document["machine_info"],
        timed=[_timed(entry) for entry in document["benchmarks"]],
    )


def _timed(entry: Mapping[str, Any]) -> Timed:
    stats = entry["stats"]
    return Timed(
        name=entry["name"],
        group=entry["group"] or "other",
        median=stats["median"],
        spread=stats["iqr"],
        rounds=stats["rounds"],
        info=entry["extra_info"],
    )
