"""Effects for the report: ratios of errors with their intervals, decided over one family.

The report takes its significance from here: a section receives effects and verdicts, and
computes neither p-values nor intervals of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bench.claims.findings import Compared, Finding
from bench.claims.statistics import FEWEST, SIGNIFICANCE, holm, shift

__all__ = ["FEWEST", "Effect", "effects", "interval_over_seeds"]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Effect:
    """The median ratio of two arms' errors with its 95 % interval; `p` is Holm's over a family."""

    ratio: float
    low: float
    high: float
    pairs: int
    p: float
    cells: tuple[str, ...]

    @property
    def decided(self) -> bool:
        return self.p < SIGNIFICANCE

    @property
    def sign(self) -> str:
        """Whether the first arm's error is smaller, larger, or undecided."""
        return "undecided" if not self.decided else "smaller" if self.ratio < 1 else "larger"


def effects(findings: Mapping[Key, Finding]) -> dict[Key, Effect]:
    """The findings that compare, two-sided, with Holm's correction over all of them."""
    compared = {key: f for key, f in findings.items() if isinstance(f, Compared)}
    adjusted = holm({key: finding.comparison.p_value for key, finding in compared.items()})
    return {
        key: Effect(c.ratio, c.low, c.high, c.pairs, adjusted[key], finding.cells)
        for key, finding in compared.items()
        for c in (finding.comparison,)
    }


def interval_over_seeds(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the typical value; of fewer than `FEWEST` seeds their range."""
    _, low, high = shift(np.array(values, dtype=float))
    return low, high
