"""Effects for the report: ratios of errors with their intervals, as the ledger decides them.

The report takes its significance from here: a section receives effects and verdicts, and
computes neither p-values nor intervals of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bench.claims.claim import MARGIN
from bench.claims.entry import Verdict
from bench.claims.findings import Compared, Finding
from bench.claims.statistics import FEWEST, shift
from bench.claims.verdicts import rows_of

__all__ = ["FEWEST", "Effect", "effects", "interval_over_seeds"]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Effect:
    """The ratio of two arms' errors with its 95 % interval, and the verdict on "smaller"."""

    ratio: float
    low: float
    high: float
    pairs: int
    verdict: Verdict
    rule: str  # that refuses it
    cells: tuple[str, ...]

    @property
    def decided(self) -> bool:
        return self.verdict in ("holds", "fails")


def effects(findings: Mapping[Key, Finding]) -> dict[Key, Effect]:
    """The findings that compare, decided as the rows of one table."""
    compared = {key: found for key, found in findings.items() if isinstance(found, Compared)}
    rows = rows_of({str(at): found for at, found in enumerate(compared.values())}, MARGIN)
    return {
        key: Effect(
            found.comparison.ratio,
            found.comparison.low,
            found.comparison.high,
            found.comparison.pairs,
            row.verdict,
            row.rule,
            found.cells,
        )
        for (key, found), row in zip(compared.items(), rows, strict=True)
    }


def interval_over_seeds(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the typical value; of fewer than `FEWEST` seeds their range."""
    _, low, high = shift(np.array(values, dtype=float))
    return low, high
