"""From a finding to a verdict: one of eight words, with a sentence made from the numbers.

`decide` is the only place that calls a difference significant. A comparison says *no difference*
if its 95 % interval lies within the margin, *holds* or *fails* if its p-value is below 5 % by
Holm's method over the family of its study, else *undecided*, with the smallest factor that so many
seeds would have found. It *depends* if, along the settings of its table, the sign changes
significantly (Holm over the table), or if the settings together are not decided without one of
them. Fewer than twelve seeds are refused.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

from bench.claims import findings as found
from bench.claims.admissibility import first_broken
from bench.claims.admissibility import seeds as enough
from bench.claims.claim import MARGIN, Claim
from bench.claims.entry import Entry, Row, Standing, Verdict
from bench.claims.power import POWER, detectable_factor
from bench.claims.rules import deciding_alone
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
    if isinstance(finding, found.Compared):
        return finding.comparison.p_value
    return sign_test(finding.true, finding.seeds) if isinstance(finding, found.Counted) else None


def entry_of(
    claim: Claim, finding: found.Finding, standing: Standing, p_adjusted: float | None, family: int
) -> Entry:
    """The verdict that a finding leads to."""
    if isinstance(finding, found.NotTested):
        return Entry(claim, "not testable", finding.command, (), finding)
    if isinstance(finding, found.Untestable):
        return Entry(claim, "not testable", finding.why, finding.cells, finding)
    rows, refused = rows_of(finding.table, claim.margin), _refusal(finding)
    verdict, what = _verdict(finding, p_adjusted, claim.margin), finding.what
    turns = {"holds", "fails"} <= {row.verdict for row in rows}
    if isinstance(finding, found.Checked | found.Counted) and finding.along and turns:
        verdict, what = "depends", f"depends on {finding.along}: {what}"
    if isinstance(finding, found.Compared):
        if turns:
            verdict, what = "depends", f"{what}: the sign changes with {finding.along}"
        elif verdict in ("holds", "fails") and (alone := deciding_alone(finding)):
            verdict, what = "depends", f"{what}: not decided without {alone}"
        what = f"{what}: {_in_words(finding.comparison, p_adjusted or 0.0, family, verdict)}"
    return Entry(
        claim,
        "refused" if refused else verdict,
        f"{refused.why}; {what}" if refused else what,
        finding.cells,
        finding,
        **_numbers(finding),
        domain=finding.domain or claim.domain,
        rule=refused.rule if refused else "",
        rows=rows,
        p_adjusted=p_adjusted,
        standing="" if refused else standing,
    )


def _refusal(finding: found.Measured) -> found.Refusal | None:
    """The rule that a finding breaks: its own, or too few seeds."""
    if finding.refused is None and not isinstance(finding, found.Checked):
        return first_broken([("seeds", enough(_numbers(finding)["seeds"]))])
    return finding.refused


def _verdict(finding: found.Measured, p_adjusted: float | None, margin: float) -> Verdict:
    """The verdict on one setting, or on all together."""
    match finding:
        case found.Compared():
            return decide(finding.comparison, p_adjusted or 0.0, margin)
        case found.Counted():
            return decide_count(finding, p_adjusted or 0.0)
    if finding.true:
        return "holds"
    return "not reproduced" if finding.printed else "fails"


def _numbers(finding: found.Measured) -> dict[str, Any]:
    """Effect, interval and seeds; of a check without a number 1 if it is true, else 0."""
    match finding:
        case found.Compared(comparison=seen):
            return {"effect": seen.ratio, "interval": (seen.low, seen.high), "seeds": seen.pairs}
        case found.Counted(true, seeds):
            interval = share_interval(true, seeds)
            return {"effect": true / seeds, "interval": interval, "seeds": seeds}
    effect = float(finding.true) if finding.effect is None else finding.effect
    interval = finding.interval or (effect, effect)
    return {"effect": effect, "interval": interval, "seeds": finding.seeds}


def rows_of(table: Mapping[str, found.Measured], margin: float = MARGIN) -> tuple[Row, ...]:
    """The settings of a table, Holm over those that no rule refuses."""
    refused = {name: _refusal(finding) for name, finding in table.items()}
    tested = {name: p_value(finding) for name, finding in table.items() if not refused[name]}
    adjusted = holm({name: p for name, p in tested.items() if p is not None})
    return tuple(
        Row(
            name,
            "refused" if (why := refused[name]) else _verdict(each, adjusted.get(name), margin),
            **_numbers(each),
            rule=why.rule if why else "",
            cells=each.cells,
        )
        for name, each in table.items()
    )


Key = TypeVar("Key", bound=Hashable)


def effects(findings: Mapping[Key, found.Compared]) -> dict[Key, Row]:
    """Comparisons decided as the rows of one table, for the report and its facts."""
    rows = rows_of({str(at): each for at, each in enumerate(findings.values())})
    return dict(zip(findings, rows, strict=True))


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
