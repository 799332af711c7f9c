"""From a finding to a verdict: one of five, with a sentence made from the numbers."""

from __future__ import annotations

from dataclasses import replace

from bench.claims import findings as found
from bench.claims.claim import Claim
from bench.claims.entry import Entry, Standing, Status
from bench.claims.power import POWER, detectable_factor
from bench.claims.statistics import DECIDING_SEEDS, SIGNIFICANCE, Comparison, largest_family

SEED_DEPENDENT = "depends on the seed"  # start of a verdict that other seeds contradict


def entry_of(
    claim: Claim, finding: found.Finding, standing: Standing, p_adjusted: float | None, family: int
) -> Entry:
    """The verdict that a finding leads to."""
    match finding:
        case found.NotTested(command):
            return Entry(claim, "not tested yet", "not tested yet", command, (), finding)
        case found.Untestable(why, cells):
            words: Status = "not testable as stated"
            return Entry(claim, words, words, why, cells, finding)
        case found.Checked(true, cells, what):
            status: Status = "holds" if true else "does not hold"
            return Entry(claim, status, status, what, cells, finding, standing=standing)
        case found.Depends(on, cells, what):
            verdict = f"depends on {on}"
            return Entry(claim, "depends", verdict, what, cells, finding, standing=standing)
        case found.Counted(cells=cells, what=what):
            status, verdict = _of_count(finding)
            return _seen(Entry(claim, status, verdict, what, cells, finding, None, standing))
        case found.Compared(comparison, _, cells, what):
            assert p_adjusted is not None
            status, verdict = _of_comparison(finding, p_adjusted, family)
            effect = _effect(comparison, p_adjusted, family, decided=status != "depends")
            evidence = f"{what}: {effect}"
            entry = Entry(claim, status, verdict, evidence, cells, finding, p_adjusted, standing)
            return _seen(entry)


def _seen(entry: Entry) -> Entry:
    """Mark an entry with too few seeds as neither confirmed nor exploratory."""
    if entry.status != "not tested yet":
        return entry
    return replace(entry, standing="")


def _of_count(finding: found.Counted) -> tuple[Status, str]:
    """All or none of twelve seeds decide; a mixture depends on the seed, however few there are."""
    if finding.true not in (0, finding.runs):
        return "depends", f"{SEED_DEPENDENT}: {finding.true} of {finding.runs} {finding.unit}"
    if finding.seeds < DECIDING_SEEDS and finding.unit != "rows of the table":
        return "not tested yet", _too_few(finding.seeds, DECIDING_SEEDS)
    status: Status = "holds" if finding.true else "does not hold"
    return status, status


def _of_comparison(finding: found.Compared, p_adjusted: float, family: int) -> tuple[Status, str]:
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


def _halves_contradict(finding: found.Compared) -> bool:
    return len({ratio < 1 for ratio in finding.halves}) > 1


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
