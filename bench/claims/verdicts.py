"""From a finding to a verdict: one of eight words, with a sentence made from the numbers.

`decide` is the only place that calls a difference significant. A comparison says *no difference*
if its 95 % interval lies within the margin, *holds* or *fails* if its p-value is below 5 % by
Holm's method over the family of its study, else *undecided*, with the smallest factor that so many
seeds would have found. It *depends* if, along the settings of its table, the sign changes
significantly (Holm over the table). Fewer than twelve seeds are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bench.claims import findings as found
from bench.claims.admissibility import first_broken
from bench.claims.admissibility import seeds as enough
from bench.claims.claim import MARGIN, Claim
from bench.claims.entry import Entry, Row, Standing, Verdict
from bench.claims.power import POWER, detectable_factor
from bench.claims.statistics import (
    SIGNIFICANCE,
    Comparison,
    holm,
    share_interval,
    sign_test,
)


def decide(comparison: Comparison, p_adjusted: float, margin: float = MARGIN) -> Verdict:
    """The verdict on "a is smaller than b", from the interval of a/b and the adjusted p-value."""
    if 1 / margin < comparison.low and comparison.high < margin:
        return "no difference"
    if p_adjusted >= SIGNIFICANCE:
        return "undecided"
    return "holds" if comparison.ratio < 1 else "fails"


def decide_count(finding: found.Counted, p_adjusted: float) -> Verdict:
    """The verdict on "true in most seeds"."""
    if p_adjusted >= SIGNIFICANCE:
        return "undecided"
    return "holds" if finding.true > finding.seeds / 2 else "fails"


def p_value(finding: found.Finding) -> float | None:
    """The two-sided p-value of a finding over seeds; None if no seed decides it."""
    match finding:
        case found.Compared():
            return finding.comparison.p_value
        case found.Counted(true, seeds):
            return sign_test(true, seeds)
    return None


def entry_of(
    claim: Claim, finding: found.Finding, standing: Standing, p_adjusted: float | None, family: int
) -> Entry:
    """The verdict that a finding leads to."""
    if isinstance(finding, found.NotTested):
        return Entry(claim, "not testable", finding.command, (), finding)
    if isinstance(finding, found.Untestable):
        return Entry(claim, "not testable", finding.why, finding.cells, finding)
    verdict, evidence, numbers = _judged(claim, finding, p_adjusted, family)
    refused = _refusal(finding)
    return Entry(
        claim,
        "refused" if refused else verdict,
        f"{refused.why}; {evidence}" if refused else evidence,
        finding.cells,
        finding,
        domain=finding.domain or claim.domain,
        rule=refused.rule if refused else "",
        p_adjusted=p_adjusted,
        standing="" if refused else standing,
        **numbers,
    )


def _refusal(finding: found.Measured) -> found.Refusal | None:
    """The rule that a finding breaks: its own, or too few seeds."""
    if finding.refused is None and isinstance(finding, found.Compared | found.Counted):
        return first_broken({"seeds": enough(_seeds(finding))})
    return finding.refused


def _seeds(finding: found.Compared | found.Counted) -> int:
    return finding.comparison.pairs if isinstance(finding, found.Compared) else finding.seeds


Judged = tuple[Verdict, str, dict[str, Any]]  # with a sentence and the numbers of an entry


def _judged(claim: Claim, finding: found.Measured, p_adjusted: float | None, family: int) -> Judged:
    """The verdict where no rule refuses it."""
    match finding:
        case found.Compared(what=what):
            assert p_adjusted is not None
            comparison = finding.comparison
            rows = rows_of(finding.table, claim.margin)
            verdict = decide(comparison, p_adjusted, claim.margin)
            if {"holds", "fails"} <= {row.verdict for row in rows}:
                verdict, what = "depends", f"{what}: the sign changes with {finding.along}"
            evidence = f"{what}: {_in_words(comparison, p_adjusted, family, verdict)}"
            return verdict, evidence, _numbers(finding) | {"rows": rows}
        case found.Counted():
            assert p_adjusted is not None
            rows = rows_of(finding.table, claim.margin)
            return (
                decide_count(finding, p_adjusted),
                finding.what,
                _numbers(finding) | {"rows": rows},
            )
        case found.Printed(near):
            return "holds" if near else "not reproduced", finding.what, _numbers(finding)
        case found.Depends(on, table=table):
            parts = [Row(name, *_check(row)) for name, row in table.items()]
            effects = [row.effect for row in parts if row.effect is not None]
            numbers = {"effect": max(effects), "interval": (min(effects), max(effects))}
            seeds = max(row.seeds for row in parts)
            words = f"depends on {on}: {finding.what}"
            return "depends", words, numbers | {"rows": tuple(parts), "seeds": seeds}
        case found.Checked(true):
            return "holds" if true else "fails", finding.what, _numbers(finding)


def _check(finding: found.Checked) -> tuple[Verdict, float, tuple[float, float], int]:
    numbers = _numbers(finding)
    verdict: Verdict = "holds" if finding.true else "fails"
    return verdict, numbers["effect"], numbers["interval"], numbers["seeds"]


def _numbers(finding: found.Measured) -> dict[str, Any]:
    """Effect, interval and seeds."""
    match finding:
        case found.Compared():
            comparison = finding.comparison
            effect, interval = comparison.ratio, (comparison.low, comparison.high)
            return {"effect": effect, "interval": interval, "seeds": comparison.pairs}
        case found.Counted(true, seeds):
            interval = share_interval(true, seeds)
            return {"effect": true / seeds, "interval": interval, "seeds": seeds}
        case found.Checked(true, effect=value, interval=ends, seeds=seeds):
            effect = float(true) if value is None else value
            return {"effect": effect, "interval": ends or (effect, effect), "seeds": seeds}
        case found.Printed(effect=effect, interval=interval, seeds=seeds):
            return {"effect": effect, "interval": interval, "seeds": seeds}
    return {}


def rows_of(
    table: Mapping[str, found.Compared] | Mapping[str, found.Counted], margin: float
) -> tuple[Row, ...]:
    """The settings of a table, Holm over those that no rule refuses."""
    admitted = {name: finding for name, finding in table.items() if not _refusal(finding)}
    adjusted = holm({name: p_value(finding) or 0.0 for name, finding in admitted.items()})
    rows = []
    for name, finding in table.items():
        refused = _refusal(finding)
        verdict: Verdict = "refused"
        if refused is None and isinstance(finding, found.Compared):
            verdict = decide(finding.comparison, adjusted[name], margin)
        elif refused is None and isinstance(finding, found.Counted):
            verdict = decide_count(finding, adjusted[name])
        rule = refused.rule if refused else ""
        rows.append(Row(name, verdict, **_numbers(finding), rule=rule))
    return tuple(rows)


def _in_words(seen: Comparison, p_adjusted: float, family: int, verdict: Verdict) -> str:
    lost = seen.diverged_a + seen.diverged_b
    diverged = f"; {lost} diverged runs counted as worst" if lost else ""
    factor = detectable_factor(seen.pairs, family, seen.spread) if verdict == "undecided" else 1.0
    able = (
        f"; {seen.pairs} seeds of this spread find a factor of {factor:.3g} in {POWER:.0%} of runs"
    )
    return (
        f"ratio {seen.ratio:.3g} (95 % interval {seen.low:.3g} to {seen.high:.3g}), smaller in "
        f"{seen.wins} of {seen.pairs} seeds, two-sided p = {seen.p_value:.2g}, by Holm over "
        f"{family} comparisons {p_adjusted:.2g}{able if 1 < factor < math.inf else ''}{diverged}"
    )
