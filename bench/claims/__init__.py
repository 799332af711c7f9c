"""The ledger: every claim with a rule declared before looking, and a verdict from the data.

It has three parts: what the paper claims, in its words; controls of ours, which the paper does not
make; and the paper's formulas as printed. Each file beside this one declares claims of one theme in
a list `CLAIMS`. A claim's `examine` looks at the results and returns a finding: a paired
comparison, a count over runs, a fact, what the answer depends on, or the command that is missing.
`ledger` turns findings into one of five verdicts.

Every comparison is two-sided; no direction is chosen, neither before nor after the look. The
*family* of a comparison is all comparisons that its part of the ledger declares, with data or
without, and p-values are Holm's over it: at most one in twenty ledgers decides any comparison of a
part that is not so. What n seeds can decide, and what effect they find, is in `bench.statistics`
and `_power.py`. A verdict is *confirmed* if its rule is declared and all seeds behind it are
confirmatory, from 1000 on, which no pilot and no tuning has used; else it is *exploratory*.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bench.claims._findings import (
    Compared,
    Counted,
    Depends,
    Fact,
    Finding,
    NotTested,
    Untestable,
)
from bench.claims._power import POWER, detectable_factor
from bench.errors import UserError
from bench.statistics import DECIDING_SEEDS, SIGNIFICANCE, Comparison, holm, largest_family
from bench.store.results import Results, confirmatory

__all__ = ["Compared", "Counted", "Depends", "Fact", "Finding", "NotTested", "Untestable"]

SEED_DEPENDENT = "depends on the seed"  # how a verdict begins that other seeds contradict

Part = Literal["paper", "control", "formula"]
PARTS: dict[Part, str] = {
    "paper": "What the paper claims",
    "control": "Controls of ours",
    "formula": "Formulas as printed",
}
Status = Literal["holds", "does not hold", "depends", "not testable as stated", "not tested yet"]
Standing = Literal["confirmed", "exploratory", ""]
Fault = Literal["", "substantive error", "clash of notation", "typo"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One sentence that can be decided, where it comes from, and the rule that decides it.

    `words` are the paper's own, or the formula as it prints it. `declared` is the day on which the
    rule was written and the digest of its words, `2026-11-16 1a2b3c4d`: whoever changes the rule
    has to declare it anew. A claim that compares says so, since it counts in its part's family.
    `fault` says what kind of slip a formula is where it does not hold as printed. A claim speaks of
    `problems` and is shown their results alone (and those of cells without a problem); () means
    whatever there is.
    """

    name: str
    sentence: str
    where: str
    rule: str
    examine: Callable[[Results], Finding]
    part: Part = "control"
    words: str = ""
    declared: str = ""
    compares: bool = False
    fault: Fault = ""
    note: str = ""
    problems: tuple[str, ...] = ("maxwell",)

    def seen(self, results: Results) -> Results:
        """What the claim may look at."""
        if not self.problems:
            return results
        known = (None, *self.problems)
        return Results([r for r in results if r.config.get("problem") in known])

    def concerns(self, problems: Collection[str]) -> bool:
        """Whether it speaks of one of these."""
        return not problems or not self.problems or bool({*problems} & {*self.problems})

    @property
    def is_declared(self) -> bool:
        return self.declared.partition(" ")[2] == digest(self.rule)


def digest(rule: str) -> str:
    """Eight hexadecimal digits of a rule's words."""
    return hashlib.blake2b(rule.encode(), digest_size=4).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A claim with its verdict; `evidence` is a sentence made from the numbers."""

    claim: Claim
    status: Status
    verdict: str
    evidence: str
    cells: tuple[str, ...]
    finding: Finding
    p_adjusted: float | None = None
    standing: Standing = ""

    def document(self) -> dict[str, Any]:
        """As `verdicts.json` keeps it."""
        claim = self.claim
        told = {name: getattr(claim, name) for name in ("name", "part", "sentence", "words")}
        told |= {name: getattr(claim, name) for name in ("where", "rule", "declared", "fault")}
        seen = {name: getattr(self, name) for name in ("status", "verdict", "standing", "evidence")}
        return {**told, **seen, "p_adjusted": self.p_adjusted, "cells": len(self.cells)}


_outside: dict[str, Callable[[], Sequence[Claim]]] = {}


def add(name: str, load: Callable[[], Sequence[Claim]]) -> None:
    """A theme from outside this folder; `load` gives its claims."""
    _outside[name] = load


def all_claims() -> list[Claim]:
    """The claims of every theme, part by part, in the order of the files' names; those from
    outside last."""
    themes = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")
    inside = [claim for theme in themes for claim in _declared(theme)]
    found = [*inside, *(claim for theme in sorted(_outside) for claim in _outside[theme]())]
    return sorted(found, key=lambda claim: list(PARTS).index(claim.part))


def _declared(theme: str) -> Sequence[Claim]:
    module = importlib.import_module(f"{__name__}.{theme}")
    if not hasattr(module, "CLAIMS"):
        raise UserError(f"{module.__name__} declares no claims: it defines no CLAIMS")
    claims: Sequence[Claim] = module.CLAIMS
    return claims


def ledger(results: Results, claims: Sequence[Claim] | None = None) -> list[Entry]:
    """A verdict on every claim; a claim cannot pass on missing data.

    Where confirmatory seeds have a say, they alone have it.
    """
    chosen = all_claims() if claims is None else claims
    untouched = confirmatory(results)
    found = {claim.name: _examined(claim, results, untouched) for claim in chosen}
    sizes = family_sizes(chosen, {name: finding for name, (finding, _) in found.items()})
    adjusted: dict[str, float] = {}
    for part in PARTS:
        tested = {
            claim.name: finding.comparison.p_value
            for claim in chosen
            if claim.part == part and isinstance(finding := found[claim.name][0], Compared)
        }
        adjusted |= holm(tested, sizes[part])
    return [
        _entry(claim, *found[claim.name], adjusted.get(claim.name), sizes[claim.part])
        for claim in chosen
    ]


def family_sizes(
    claims: Sequence[Claim], findings: dict[str, Finding] | None = None
) -> Counter[Part]:
    """How many comparisons each part of the ledger declares."""
    seen = findings or {}
    return Counter(
        claim.part
        for claim in claims
        if claim.compares or isinstance(seen.get(claim.name), Compared)
    )


def _examined(claim: Claim, results: Results, untouched: Results) -> tuple[Finding, Standing]:
    if claim.is_declared and len(untouched):
        finding = claim.examine(claim.seen(untouched))
        if not isinstance(finding, NotTested):
            return finding, "confirmed"
    return claim.examine(claim.seen(results)), "exploratory"


def _entry(
    claim: Claim, finding: Finding, standing: Standing, p_adjusted: float | None, family: int
) -> Entry:
    match finding:
        case NotTested(command):
            return Entry(claim, "not tested yet", "not tested yet", command, (), finding)
        case Untestable(why, cells):
            words: Status = "not testable as stated"
            return Entry(claim, words, words, why, cells, finding)
        case Fact(true, cells, what):
            status: Status = "holds" if true else "does not hold"
            return Entry(claim, status, status, what, cells, finding, standing=standing)
        case Depends(on, cells, what):
            verdict = f"depends on {on}"
            return Entry(claim, "depends", verdict, what, cells, finding, standing=standing)
        case Counted(cells=cells, what=what):
            status, verdict = _of_count(finding)
            return _seen(Entry(claim, status, verdict, what, cells, finding, None, standing))
        case Compared(comparison, _, cells, what):
            assert p_adjusted is not None
            status, verdict = _of_comparison(finding, p_adjusted, family)
            effect = _effect(comparison, p_adjusted, family, decided=status != "depends")
            evidence = f"{what}: {effect}"
            entry = Entry(claim, status, verdict, evidence, cells, finding, p_adjusted, standing)
            return _seen(entry)


def _seen(entry: Entry) -> Entry:
    """Too few seeds are neither confirmed nor exploratory: they are no test yet."""
    if entry.status != "not tested yet":
        return entry
    told = (entry.claim, entry.status, entry.verdict, entry.evidence, entry.cells, entry.finding)
    return Entry(*told, entry.p_adjusted)


def _of_count(finding: Counted) -> tuple[Status, str]:
    """All or none of twelve seeds decide; a mixture depends on the seed, however few there are."""
    if finding.true not in (0, finding.runs):
        return "depends", f"{SEED_DEPENDENT}: {finding.true} of {finding.runs} {finding.unit}"
    if finding.seeds < DECIDING_SEEDS and finding.unit != "rows of the table":
        return "not tested yet", _too_few(finding.seeds, DECIDING_SEEDS)
    status: Status = "holds" if finding.true else "does not hold"
    return status, status


def _of_comparison(finding: Compared, p_adjusted: float, family: int) -> tuple[Status, str]:
    """Significant over its family, and no half of the seeds contradicts its other half."""
    seen = finding.comparison
    if largest_family(seen.pairs) < family:
        needed = next(n for n in range(seen.pairs, 64) if largest_family(n) >= family)
        return "not tested yet", _too_few(seen.pairs, needed)
    if p_adjusted >= SIGNIFICANCE or _halves_contradict(finding):
        return "depends", f"{SEED_DEPENDENT}: {seen.wins} of {seen.pairs} seeds"
    status: Status = "holds" if seen.ratio < 1 else "does not hold"
    return status, status


def _too_few(seeds: int, needed: int) -> str:
    return f"not tested yet: {seeds} seeds, {needed} can decide"


def _halves_contradict(finding: Compared) -> bool:
    return len({ratio < 1 for ratio in finding.halves}) > 1


def agreement(entries: Sequence[Entry]) -> str:
    """One claim in several runs, which may have other seeds: what they say together.

    Runs that decide against each other leave the claim undecided, however sure each of them is.
    """
    tested = [entry for entry in entries if entry.status != "not tested yet"]
    said = {entry.status for entry in tested}
    if not tested:
        return "not tested yet"
    if {"holds", "does not hold"} <= said:
        return f"{SEED_DEPENDENT}: the runs contradict each other"
    if len(tested) == 1:
        return f"{tested[0].verdict} (tested in one run only)"
    decided = said - {"depends"}
    if not decided:
        words = {entry.verdict.partition(":")[0] for entry in tested}
        return words.pop() if len(words) == 1 else "depends"
    return decided.pop() if len(said) == 1 else f"{decided.pop()}, but not in every run"


def _effect(comparison: Comparison, p_adjusted: float, family: int, *, decided: bool) -> str:
    lost = comparison.diverged_a + comparison.diverged_b
    diverged = f"; {lost} diverged runs counted as worst" if lost else ""
    factor = detectable_factor(comparison.pairs, family, comparison.spread)
    able = (
        ""
        if decided or factor != factor
        else f"; {comparison.pairs} seeds of this spread find a factor of {factor:.3g} with "
        f"probability {POWER:g}"
    )
    return (
        f"median ratio {comparison.ratio:.3g} (95 % interval {comparison.low:.3g} to "
        f"{comparison.high:.3g}), smaller in {comparison.wins} of {comparison.pairs} seeds, "
        f"two-sided p = {comparison.p_value:.2g}, by Holm over {family} comparisons "
        f"{p_adjusted:.2g}{able}{diverged}"
    )
