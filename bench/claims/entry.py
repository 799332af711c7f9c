"""A line of the ledger: a claim with its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bench.claims import findings as found
from bench.claims.claim import Claim

Status = Literal["holds", "does not hold", "depends", "not testable as stated", "not tested yet"]
Standing = Literal["confirmed", "exploratory", ""]


@dataclass(frozen=True)
class Entry:
    """A claim with its verdict; `evidence` is a sentence made from the numbers."""

    claim: Claim
    status: Status
    verdict: str
    evidence: str
    cells: tuple[str, ...]
    finding: found.Finding
    p_adjusted: float | None = None
    standing: Standing = ""

    def document(self) -> dict[str, Any]:
        """As `verdicts.json` keeps it."""
        claim = self.claim
        declared = ("name", "part", "sentence", "words", "where", "rule", "declared", "fault")
        return {
            **{name: getattr(claim, name) for name in declared},
            **{n: getattr(self, n) for n in ("status", "verdict", "standing", "evidence")},
            "p_adjusted": self.p_adjusted,
            "cells": len(self.cells),
        }
