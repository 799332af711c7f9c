"""A run as its report sees it: with its ledger, and with what makes its results again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from bench.claims import Entry, ledger
from bench.store import run
from bench.store.results import Results
from reports.document import Source


class Run(run.Run):
    """A run with what a report says about it."""

    others: Sequence[Run]

    def source(self, study: str, results: Results) -> Source:
        """The command and the cells behind results of one study."""
        return Source(self.command(study), results.keys())

    def made_by(self, results: Results) -> Source:
        """The same for results of several studies, which one command makes."""
        keys = set(results.keys())
        owners = [s.studies for s in self.standings if s.record and s.record.key in keys]
        return Source(self.command(*sorted({studies[0] for studies in owners})), results.keys())

    @cached_property
    def ledger(self) -> list[Entry]:
        """Without untested claims about problems that this run has nothing to do with.

        A run on users' own problems only has none: the claims are about the project's fields.
        """
        planned = {s.cell.config["problem"] for s in self.standings if "problem" in s.cell.config}
        if planned and all("@" in problem for problem in planned):
            return []
        return [
            entry for entry in ledger(self.results) if entry.tested or entry.claim.concerns(planned)
        ]
