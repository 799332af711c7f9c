"""What a report is about: one run, its results, and how to make them again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.claims import Entry, ledger
from bench.core.guards.text import shell_command
from bench.store.files import StoredResult
from bench.store.folder import Store
from bench.store.kept import SUFFIX, kept_runs
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
    refused: Mapping[str, str] = field(default_factory=dict)  # studies left out, and why
    sessions: Sequence[Mapping[str, Any]] = ()  # when it computed, and how busy the machine was

    @classmethod
    def read(cls, path: Path, others: Sequence[Path] = ()) -> Run:
        """The run as it is now: every result read whole, what cannot be trusted left out."""
        store = Store(path)
        refused: dict[str, str] = {}
        remembered = store.plans(refused.__setitem__)
        standings = survey(store, replanned(remembered, refused.__setitem__), verify=True)
        plans = {study: plan for study, plan in remembered.items() if study not in refused}
        compared = [each for other in others for each in cls.beside(other)]
        return cls(path.name, plans, standings, compared, refused, store.sessions())

    @classmethod
    def beside(cls, path: Path) -> list[Run]:
        """A run to compare with, or all of a `results.parquet`: those have no plans and no
        curves."""
        if path.suffix != SUFFIX:
            return [cls.read(path)]
        return [cls(name, {}, standings) for name, standings in kept_runs(path).items()]

    @cached_property
    def records(self) -> list[StoredResult]:
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
        """What makes the studies' cells again, or fills the ones that are missing; several lines
        in one where they were run with different options."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for study in studies or ("",):
            plan = self.plans.get(study, {})
            told = [_quoted(part) for part in plan.get("told", ()) if isinstance(part, str)]
            options = (shell_command("--preset", str(plan.get("preset", "quick"))), *told)
            groups.setdefault(options, []).append(str(plan.get("file", study)))
        place = shell_command("--run", self.name)
        return " && ".join(
            " ".join([shell_command("femnets", "run", *filter(None, typed)), *options, place])
            for options, typed in groups.items()
        )

    @property
    def mends(self) -> str:
        """What computes again, with the settings of last time, what is missing or damaged."""
        return shell_command("femnets", "run", "--resume", "--run", self.name)

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


def _quoted(words: str) -> str:
    """Options as they were typed, quoted anew: a file says what they were."""
    try:
        return shell_command(*shlex.split(words))
    except ValueError:
        return shell_command(words)
