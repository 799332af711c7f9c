"""The ledger: every claim with a rule declared before seeing the data, and its verdict.

It has three parts: what the paper claims, in its words; controls of ours, which the paper does not
make; and the paper's formulas as printed. Each file in `themes` declares claims of one theme in
a list `CLAIMS`. A claim's `examine` reads the results and returns a finding: a paired
comparison, a count over runs, a check, what the answer depends on, or a command still to be run.
`ledger` turns findings into one of five verdicts.

Every comparison is two-sided; no direction is chosen, before or after seeing the data. The
*family* of a comparison is all comparisons that its part of the ledger declares, with data or
without, and p-values are Holm's over it: at most one in twenty ledgers decides any comparison of a
part wrongly. What n seeds can decide, and what effect they find, is in
`statistics.py` and `power.py`. A verdict is *confirmed* if its rule is declared and all seeds
behind it are confirmatory, from 1000 on, which no pilot and no tuning has used; else it is
*exploratory*.
"""

from __future__ import annotations

import inspect
import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from base.errors import UserError
from base.registry import Registry
from bench.claims.claim import PARTS, Claim, Fault, Part, digest, formula, quoted
from bench.claims.entry import Entry, Standing
from bench.claims.findings import (
    Checked,
    Compared,
    Counted,
    Depends,
    Finding,
    NotTested,
    Untestable,
)
from bench.claims.statistics import DECIDING_SEEDS, holm
from bench.claims.verdicts import SEED_DEPENDENT, entry_of
from bench.store.files import Damaged
from bench.store.results import Results, confirmatory

__all__ = [
    "DECIDING_SEEDS",
    "PARTS",
    "SEED_DEPENDENT",
    "Checked",
    "Claim",
    "Compared",
    "Counted",
    "Depends",
    "Entry",
    "Fault",
    "Finding",
    "NotTested",
    "Part",
    "Untestable",
    "digest",
    "formula",
    "quoted",
]


def _claims(found: Any, name: str) -> Sequence[Claim]:
    claims: Sequence[Claim] | None = getattr(
        found, "CLAIMS", None if inspect.ismodule(found) else found
    )
    if claims is None:
        raise UserError(f"{name} declares no claims: define a list CLAIMS")
    return claims


REGISTRY: Registry[Sequence[Claim]] = Registry(
    "theme of claims", f"{__name__}.themes", _claims, group="claims"
)


def all_claims() -> list[Claim]:
    """The claims of every theme, part by part, in the order of the files' names; those from
    outside last."""
    themes = [*REGISTRY.files, *sorted(REGISTRY.installed)]
    claims = [claim for theme in themes for claim in _of_theme(theme)]
    return sorted(claims, key=lambda claim: list(PARTS).index(claim.part))


def _of_theme(theme: str) -> Sequence[Claim]:
    """The claims of a theme, or a note if they cannot be read."""
    try:
        return REGISTRY.get(theme)
    except Exception as error:
        note = Untestable(_fault(f"the claims of {theme}", error))
        return [
            Claim(name=theme, sentence=f"{note.why}.", rule="", examine=lambda _: note, problems=())
        ]


def _fault(what: str, error: Exception) -> str:
    logging.getLogger("femnets.report").debug("%s", what, exc_info=error)
    return f"{what} could not be made: {type(error).__name__}: {error}; see the log"


def ledger(results: Results, claims: Sequence[Claim] | None = None) -> list[Entry]:
    """A verdict on every claim; a claim cannot pass on missing data.

    If confirmatory seeds exist, only they are used.
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
        entry_of(claim, *found[claim.name], adjusted.get(claim.name), sizes[claim.part])
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
        finding = _looked(claim, untouched)
        if not isinstance(finding, NotTested):
            return finding, "confirmed"
    return _looked(claim, results), "exploratory"


def _looked(claim: Claim, results: Results) -> Finding:
    """The claim's finding. If its rule fails (a result that was edited may lack a value), a note
    replaces the evidence, and the other claims are still examined."""
    try:
        return claim.examine(claim.seen(results))
    except Damaged:
        raise
    except KeyError as missing:
        return Untestable(
            f"a result lacks the value {missing}, which its kind has: it was edited; compute it "
            "again under another --run"
        )
    except Exception as error:
        return Untestable(_fault(f"the verdict on {claim.name}", error))


def agreement(entries: Sequence[Entry]) -> str:
    """The joint verdict of several runs, which may have different seeds.

    If runs contradict each other, the claim is undecided, whatever their p-values.
    """
    tested = [entry for entry in entries if entry.status != "not tested yet"]
    statuses = {entry.status for entry in tested}
    if not tested:
        return "not tested yet"
    if {"holds", "does not hold"} <= statuses:
        return f"{SEED_DEPENDENT}: the runs contradict each other"
    if len(tested) == 1:
        return f"{tested[0].verdict} (tested in one run only)"
    decided = statuses - {"depends"}
    if not decided:
        words = {entry.verdict.partition(":")[0] for entry in tested}
        return words.pop() if len(words) == 1 else "depends"
    return decided.pop() if len(statuses) == 1 else f"{decided.pop()}, but not in every run"
