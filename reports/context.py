"""What a report is about: one run, its results, and how to make them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.claims import Entry, ledger
from bench.store.files import Record
from bench.store.folder import Store
from bench.store.results import Results
from bench.store.survey import Standing, survey
from bench.studies import replanned
from reports.document import Source


@dataclass(frozen=True)
class Run:
    """A run as its report sees it: the results on disk and the plans they belong to."""

    name: str
    plans: Mapping[str, Mapping[str, Any]]
    standings: Sequence[Standing]
    others: Sequence[Run] = ()  # runs that the report compares with this one

    @classmethod
    def read(cls, path: Path, others: Sequence[Path] = ()) -> Run:
        store = Store(path)
        plans = store.plans()
        standings = survey(store, replanned(plans))
        return cls(path.name, plans, standings, [cls.read(other) for other in others])

    @cached_property
    def records(self) -> list[Record]:
        """Results of planned cells; a stale one is the best there is, and is named as such."""
        return [s.record for s in self.standings if s.record is not None]

    @cached_property
    def results(self) -> Results:
        return Results(self.records)

    def results_of(self, study: str) -> Results:
        """The results of one study's cells; cells may belong to several."""
        return Results(
            [s.record for s in self.standings if s.record is not None and study in s.studies]
        )

    def command(self, *studies: str) -> str:
        """What makes the studies' cells again, or fills the ones that are missing."""
        plan = self.plans.get(studies[0], {})
        told = " ".join([f"--preset {plan.get('preset', 'quick')}", *plan.get("told", ())])
        typed = [str(self.plans.get(study, {}).get("file", study)) for study in studies]
        return f"femnets run {' '.join(typed)} {told} --run {self.name}"

    def source(self, study: str, results: Results) -> Source:
        return Source(self.command(study), results.keys())

    def made_by(self, results: Results) -> Source:
        """The same for results of several studies, which one command makes."""
        keys = set(results.keys())
        owners = [s.studies for s in self.standings if s.record and s.record.key in keys]
        return Source(self.command(*sorted({studies[0] for studies in owners})), results.keys())

    @cached_property
    def ledger(self) -> list[Entry]:
        """Without the claims about problems that this run has nothing to do with."""
        planned = {s.cell.config["problem"] for s in self.standings if "problem" in s.cell.config}
        return [
            entry
            for entry in ledger(self.results)
            if entry.status != "not tested yet" or entry.claim.concerns(planned)
        ]
