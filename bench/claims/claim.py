"""A claim: a sentence, where it comes from, and the criterion that decides it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Literal

from bench.claims.findings import Finding, Missing, NotTested
from bench.store.results import Results

Part = Literal["paper", "control", "formula", "other"]
PARTS: dict[Part, str] = {
    "paper": "What the paper claims",
    "control": "Findings of ours",
    "formula": "Formulas as printed",
    "other": "What other papers claim",
}
Fault = Literal["", "substantive error", "clash of notation", "typo"]
MAIN = "maxwell"  # the paper's field
OURS = "a finding of ours"  # where a claim stands that the paper does not make
MARGIN = 1.1  # a factor between errors that is no difference


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One sentence that can be decided, where it comes from, and the criterion that decides it.

    `words` are the paper's own, or the formula as it prints it. `declared` is the day on which the
    criterion was written and the digest of its words, `2026-11-16 1a2b3c4d`: a changed one is
    declared again. A claim that is tested over seeds names its `family`, the study in which it
    counts; `needs` says what `femnets run` computes its cells with, if not its family alone.
    Between errors that differ by less than the factor `margin` there is no difference.
    `domain` is where its numbers are measured, unless its finding says so.
    `fault` says what kind of slip a formula is where it does not hold as printed. A claim is about
    `problems` and is given only their results (and those of cells without a problem); () means all
    problems.
    """

    name: str
    sentence: str
    criterion: str
    examine: Callable[[Results], Finding]
    where: str = OURS
    part: Part = "control"
    words: str = ""
    declared: str = ""
    family: str = ""
    needs: str = ""
    margin: float = MARGIN
    domain: str = ""
    fault: Fault = ""
    note: str = ""
    problems: tuple[str, ...] = (MAIN,)

    def finding(self, results: Results) -> Finding:
        """What the results say; the command to run if cells are missing."""
        known = (None, *self.problems)
        seen = [r for r in results if not self.problems or r.config.get("problem") in known]
        try:
            return self.examine(Results(seen))
        except Missing:
            needs = self.needs or f"{self.family} --preset paper"
            return NotTested(f"femnets run {needs}")

    def concerns(self, problems: Collection[str]) -> bool:
        """Whether the claim is about one of these problems."""
        return not problems or not self.problems or bool({*problems} & {*self.problems})

    @property
    def is_declared(self) -> bool:
        return self.declared.partition(" ")[2] == digest(self.criterion)


def digest(criterion: str) -> str:
    """Eight hexadecimal digits of a criterion's words."""
    return hashlib.blake2b(criterion.encode(), digest_size=4).hexdigest()


quoted = partial(Claim, part="paper")  # what the paper claims
formula = partial(Claim, part="formula")  # what it prints
