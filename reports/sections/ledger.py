"""The ledger in three parts: the paper's claims, our controls, the formulas as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.claims import PARTS, SEED_DEPENDENT, Entry, agreement, family_sizes
from bench.statistics import DECIDING_SEEDS, largest_family
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table

TITLE = "The ledger of claims"
ORDER = 40
STUDIES = ()  # every claim names its own
GAP = ""

TITLES = {"paper": "the paper's words", "control": "", "formula": "as printed"}


def _verdict(run: Run, entry: Entry) -> tuple[str, str]:
    """Status and words; of the run alone, unless one that it is compared with contradicts it."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same]) if same else ""
    if together.startswith(SEED_DEPENDENT):
        return "depends", together
    return entry.status, entry.verdict


def contents(run: Run) -> list[Block]:
    if not run.ledger:
        return []
    verdicts = {entry.claim.name: _verdict(run, entry) for entry in run.ledger}
    tally = Counter(status for status, _ in verdicts.values())
    counts = ", ".join(f"{number} {status}" for status, number in tally.most_common())
    standing = Counter(entry.standing for entry in run.ledger)
    sizes = family_sizes([entry.claim for entry in run.ledger])
    families = ", ".join(f"{sizes[part]} ({title.lower()})" for part, title in PARTS.items())
    text = (
        f"Of {len(run.ledger)} claims: {counts}. {standing['confirmed']} verdicts are confirmed: "
        "their rule was declared on the day it names and every seed behind them is from 1000 on, "
        f"which no pilot and no tuning has used. {standing['exploratory']} are exploratory. "
        "Comparisons pair runs that share initial weights and data; tests are Wilcoxon's, "
        "two-sided; p-values are Holm's over all comparisons that a part declares, with data or "
        f"without: {families}. {DECIDING_SEEDS} seeds that all agree decide among up to "
        f"{largest_family(DECIDING_SEEDS)} (2/2¹² each). One that disjoint halves of the seeds "
        "contradict is not decided; diverged runs rank worst."
    )
    parts = [(part, [e for e in run.ledger if e.claim.part == part]) for part in PARTS]
    return [
        Paragraph(text),
        *(_table(part, entries, verdicts) for part, entries in parts if entries),
    ]


def _table(part: str, entries: Sequence[Entry], verdicts: dict[str, tuple[str, str]]) -> Table:
    columns = [
        Column("claim"),
        *([Column(TITLES[part]), Column("where")] if TITLES[part] else []),
        Column("rule and the day it was declared"),
        Column("verdict"),
        Column("evidence"),
    ]
    rows = []
    for entry in entries:
        claim = entry.claim
        untested = entry.status == "not tested yet" and not entry.cells
        rows.append(
            (
                claim.sentence + (f" ({claim.note})" if claim.note else ""),
                *([claim.words, claim.where] if TITLES[part] else []),
                f"{claim.rule} ({claim.declared or 'not declared'})",
                _in_full(entry, verdicts[claim.name][1]),
                f"run `{entry.evidence}`" if untested else entry.evidence,
            )
        )
    return Table(f"ledger-{part}", f"{PARTS[part]}.", columns, rows)  # type: ignore[index]


def _in_full(entry: Entry, words: str) -> str:
    """does not hold, substantive error; confirmed"""
    failed = entry.status in ("does not hold", "depends")
    fault = f", {entry.claim.fault}" if entry.claim.fault and failed else ""
    return words + fault + (f"; {entry.standing}" if entry.standing else "")
