"""The ledger: every claim with a criterion declared before seeing the data, and its verdict.

It has four parts: what the paper claims, in its words; findings of ours; the paper's formulas as
printed; and what other papers claim. Each file in `themes` declares claims of one theme in a list
`CLAIMS`. A claim's `examine` reads the results and returns a finding: a paired comparison, a count
over seeds, a check, each possibly over the settings of a table (`rules.py`); where cells are
missing it raises `Missing`, and the ledger names the command that computes them.
`ledger` turns findings into one of eight verdicts (`verdicts.py`), the only place that does.

Every test is two-sided; no direction is chosen, before or after seeing the data. The *family* of
a test is all claims over seeds that its study declares, with data or without, and p-values are
Holm's over it: at most one in twenty ledgers decides any claim of a study wrongly. What n seeds can
decide, and what effect they find, is in `statistics.py` and `power.py`. A verdict is *confirmed* if
its criterion is declared, all seeds behind it are confirmatory, from 1000 on, which no pilot and
no tuning has used, and no result behind it is older than the criterion; else it is *exploratory*.
"""

from __future__ import annotations

import inspect
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from base.errors import UserError
from base.registry import Registry
from bench.claims.claim import PARTS, Claim, digest
from bench.claims.entry import VERDICTS, Entry, Row, Standing
from bench.claims.findings import Checked, Compared, Counted, Finding, NotTested, Untestable
from bench.claims.statistics import holm
from bench.claims.verdicts import entry_of, p_value
from bench.store.files import Damaged
from bench.store.results import Results, confirmatory

__all__ = [
    "PARTS",
    "VERDICTS",
    "Checked",
    "Claim",
    "Compared",
    "Counted",
    "Entry",
    "Finding",
    "NotTested",
    "Row",
    "Untestable",
    "digest",
]


def _claims(found: Any, name: str) -> Sequence[Claim]:
    if inspect.ismodule(found) and not hasattr(found, "CLAIMS"):
        raise UserError(f"{name} declares no claims: define a list CLAIMS")
    claims: Sequence[Claim] = getattr(found, "CLAIMS", found)
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
        why = f"{note.why}."
        return [Claim(name=theme, sentence=why, criterion="", examine=lambda _: note, problems=())]


def _fault(what: str, error: Exception) -> str:
    logging.getLogger("femnets.report").debug("%s", what, exc_info=error)
    return f"{what} could not be made: {type(error).__name__}: {error}; see the log"


def ledger(results: Results, claims: Sequence[Claim] | None = None) -> list[Entry]:
    """A verdict on every claim; a claim cannot pass on missing data.

    If confirmatory seeds exist, only they are used.
    """
    chosen = all_claims() if claims is None else claims
    untouched = confirmatory(results)
    found = {claim: _examined(claim, results, untouched) for claim in chosen}
    tested = {claim: p for claim in chosen if (p := p_value(found[claim][0])) is not None}
    sizes = family_sizes(chosen, tested)
    adjusted: dict[Claim, float] = {}
    for family, size in sizes.items():
        adjusted |= holm({c: p for c, p in tested.items() if family_of(c) == family}, size)
    days = {record.key: str(record.provenance.get("start", ""))[:10] for record in results}
    return [
        _if_unseen(
            entry_of(claim, *found[claim], adjusted.get(claim), sizes[family_of(claim)]), days
        )
        for claim in chosen
    ]


def _if_unseen(entry: Entry, days: Mapping[str, str]) -> Entry:
    """A claim that was declared after the day of a result behind it is exploratory."""
    declared = entry.claim.declared.partition(" ")[0]
    seen = any("" < days.get(key, "") < declared for key in entry.cells)
    return replace(entry, standing="exploratory") if entry.standing and seen else entry


def family_of(claim: Claim) -> str:
    """The study of a claim; without one its part of the ledger."""
    return claim.family or claim.part


def family_sizes(claims: Iterable[Claim], tested: Iterable[Claim] = ()) -> Counter[str]:
    """How many tests over seeds each family declares, and those that were found to be some."""
    return Counter(family_of(c) for c in {*tested, *(c for c in claims if c.family)})


def _examined(claim: Claim, results: Results, untouched: Results) -> tuple[Finding, Standing]:
    if claim.is_declared and len(untouched):
        finding = _looked(claim, untouched)
        if not isinstance(finding, NotTested):
            return finding, "confirmed"
    return _looked(claim, results), "exploratory"


def _looked(claim: Claim, results: Results) -> Finding:
    """The claim's finding. If reading it fails (a result that was edited may lack a value), a note
    replaces the evidence, and the other claims are still examined."""
    try:
        return claim.finding(results)
    except Damaged:
        raise
    except KeyError as missing:
        return Untestable(
            f"a result lacks the value {missing}, which its kind has: it was edited; compute it "
            "again under another --run"
        )
    except Exception as error:
        return Untestable(_fault(f"the verdict on {claim.name}", error))


CONTRADICTED = "undecided: the runs contradict each other"


def agreement(entries: Sequence[Entry]) -> str:
    """The joint verdict of several runs, which may have different seeds.

    If runs contradict each other, the claim is undecided, whatever their p-values.
    """
    tested = [entry for entry in entries if entry.tested]
    verdicts = list(dict.fromkeys(entry.verdict for entry in tested))
    if not tested:
        return "not testable"
    if {"holds", "fails"} <= {*verdicts}:
        return CONTRADICTED
    if len(tested) == 1:
        return f"{verdicts[0]} (tested in one run only)"
    return verdicts[0] if len(verdicts) == 1 else f"not the same: {', '.join(verdicts)}"
