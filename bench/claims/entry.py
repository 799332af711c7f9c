"""A line of the ledger: a claim with its verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bench.claims import findings as found
from bench.claims.claim import Claim

Verdict = Literal[
    "holds",
    "fails",
    "no difference",
    "undecided",
    "depends",
    "not reproduced",
    "not testable",
    "refused",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Standing = Literal["confirmed", "exploratory", ""]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Row:
    """One setting of a claim that is about several: an effect with its 95 % interval, decided."""

    name: str
    verdict: Verdict
    effect: float
    interval: Interval
    seeds: int
    rule: str = ""  # that refuses it
    cells: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        return self.verdict in ("holds", "fails")


@dataclass(frozen=True)
class Entry:
    """A claim with its verdict.

    `effect` is what was measured (a ratio of errors, a share of seeds, a relative difference) with
    its 95 % `interval`, on `domain`; `rule` is the admissibility rule that a refused comparison
    breaks; `rows` has the settings of a claim about several. `evidence` is a sentence made from
    the numbers; if cells are missing, it is the command that computes them.
    """

    claim: Claim
    verdict: Verdict
    evidence: str
    cells: tuple[str, ...]
    finding: found.Finding
    effect: float | None = None
    interval: Interval | None = None
    seeds: int = 0
    domain: str = ""
    rule: str = ""
    rows: tuple[Row, ...] = ()
    p_adjusted: float | None = None
    standing: Standing = ""

    @property
    def tested(self) -> bool:
        """Whether the run has the cells that the claim needs."""
        return not isinstance(self.finding, found.NotTested)

    def document(self) -> dict[str, Any]:
        """As `verdicts.json` keeps it: numbers that do not exist or are infinite are null."""
        claim = self.claim
        declared = ("name", "part", "sentence", "words", "where", "criterion", "declared", "fault")
        said = ("verdict", "seeds", "domain", "rule", "standing", "evidence", "tested")
        return {
            **{name: getattr(claim, name) for name in declared},
            **{name: getattr(self, name) for name in said},
            "effect": _finite(self.effect),
            "interval": _ends(self.interval),
            "rows": [
                {
                    **{name: getattr(row, name) for name in ("name", "verdict", "seeds", "rule")},
                    "effect": _finite(row.effect),
                    "interval": _ends(row.interval),
                }
                for row in self.rows
            ],
            "p_adjusted": self.p_adjusted,
            "cells": len(self.cells),
        }


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _ends(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_finite(end) for end in interval]
