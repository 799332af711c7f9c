"""What the article may quote: the facts, verdicts and results of the kept run, and of the second
run, on other seeds, facts and verdicts: their names begin with `again/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from base.errors import UserError
from bench.claims import Entry, ledger
from bench.claims.facts import Fact, all_facts
from bench.core.guards.reading import json_object, plain_bytes
from bench.store.curves import CURVES, attach_curves
from bench.store.files import checksum
from bench.store.parquet import read_results
from bench.store.results import Results

MOST_BYTES = 2**24
AGAIN = "again/"


@dataclass(frozen=True)
class Kept:
    """The kept run, and what a second run says again."""

    results: Results
    facts: Mapping[str, Fact]
    verdicts: Mapping[str, Entry]
    again: Mapping[str, Entry] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Kept:
        """From verdicts.json, which names the run, and results.parquet; with figures.parquet its
        curves."""
        document = json_object(plain_bytes(folder / "verdicts.json", MOST_BYTES))
        file = document["results"]["file"]
        if checksum(plain_bytes(folder / file, MOST_BYTES)) != document["results"]["checksum"]:
            raise UserError(f"{folder}: verdicts.json and {file} are of different runs")
        rows = read_results(folder / file)
        own = Results([record for run, _, record in rows if run == document["run"]])
        if (folder / CURVES).exists():
            attach_curves(folder / CURVES, own)
        others = Results([record for run, _, record in rows if run != document["run"]])
        return cls.of(own).confirmed_by(others)

    def confirmed_by(self, others: Results) -> Kept:
        """With the facts and verdicts of a second run."""
        if not len(others):
            return self
        second = Kept.of(others)
        facts = {AGAIN + name: fact for name, fact in second.facts.items()}
        again = {AGAIN + name: entry for name, entry in second.verdicts.items()}
        return replace(self, facts={**self.facts, **facts}, again=again)

    @classmethod
    def of(cls, results: Results) -> Kept:
        """The facts and verdicts of results."""
        facts, notes = all_facts(results)
        if notes:
            raise UserError("; ".join(notes))
        tested = {entry.claim.name: entry for entry in ledger(results) if entry.tested}
        return cls(results, facts, tested)
