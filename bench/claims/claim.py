"""A claim: a sentence, where it comes from, and the criterion that decides it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, TypedDict

from bench.claims.findings import Finding
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
    counts. Errors that differ by less than the factor `margin` are no difference.
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
    margin: float = MARGIN
    domain: str = ""
    fault: Fault = ""
    note: str = ""
    problems: tuple[str, ...] = (MAIN,)

    def seen(self, results: Results) -> Results:
        """The results that the claim may use."""
        if not self.problems:
            return results
        known = (None, *self.problems)
        return Results([r for r in results if r.config.get("problem") in known])

    def concerns(self, problems: Collection[str]) -> bool:
        """Whether the claim is about one of these problems."""
        return not problems or not self.problems or bool({*problems} & {*self.problems})

    @property
    def is_declared(self) -> bool:
        return self.declared.partition(" ")[2] == digest(self.criterion)


def digest(criterion: str) -> str:
    """Eight hexadecimal digits of a criterion's words."""
    return hashlib.blake2b(criterion.encode(), digest_size=4).hexdigest()


class Source(TypedDict):
    """Where the paper makes a claim, and in which words."""

    part: Part
    where: str
    words: str


def quoted(where: str, words: str) -> Source:
    """A claim that the paper makes."""
    return {"part": "paper", "where": where, "words": words}


def formula(where: str, words: str) -> Source:
    """A formula that the paper prints."""
    return {"part": "formula", "where": where, "words": words}
