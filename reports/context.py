"""What a report is about: one run, its results, and how to make them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.claims import Entry, ledger
from bench.results import Results
from bench.store import Store
from reports.document import Source


@dataclass(frozen=True)
class Run:
    """A run as its report sees it: the results on disk and the plans they belong to."""

    name: str
    results: Results
    plans: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path) -> Run:
        store = Store(path)
        return cls(path.name, Results(list(store.records())), store.plans())

    def command(self, study: str) -> str:
        """What makes a study's cells again, or fills the ones that are missing."""
        preset = self.plans.get(study, {}).get("preset", "quick")
        return f"femnets run {study} --preset {preset} --run {self.name}"

    def source(self, study: str, results: Results) -> Source:
        return Source(self.command(study), results.keys())

    @cached_property
    def ledger(self) -> list[Entry]:
        return ledger(self.results)
