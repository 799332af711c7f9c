"""The ledger: every claim of the paper with the verdict that the results give."""

from __future__ import annotations

from collections import Counter

from bench.claims import SEED_DEPENDENT, Entry, agreement
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table

TITLE = "The ledger of claims"
ORDER = 40
STUDIES = ()  # every claim names its own
GAP = ""

COLUMNS = [
    Column("claim"),
    Column("where"),
    Column("rule, declared before looking"),
    Column("verdict"),
    Column("evidence"),
]


def _verdict(run: Run, entry: Entry) -> tuple[str, str]:
    """Status and words; of the run alone, unless one that it is compared with contradicts it."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same]) if same else ""
    words = together if together.startswith(SEED_DEPENDENT) else entry.verdict
    return SEED_DEPENDENT if words.startswith(SEED_DEPENDENT) else entry.status, words


def contents(run: Run) -> list[Block]:
    if not run.ledger:
        return []
    verdicts = [_verdict(run, entry) for entry in run.ledger]
    tally = Counter(status for status, _ in verdicts)
    counts = ", ".join(f"{number} {status}" for status, number in tally.most_common())
    rows = [
        (
            entry.claim.sentence + (f" ({entry.claim.note})" if entry.claim.note else ""),
            entry.claim.where,
            entry.claim.rule,
            verdict,
            f"run `{entry.evidence}`" if entry.status == "not tested yet" else entry.evidence,
        )
        for entry, (_, verdict) in zip(run.ledger, verdicts, strict=True)
    ]
    text = (
        f"Of {len(run.ledger)} claims: {counts}. Comparisons pair runs that share initial weights "
        "and data; p-values are Wilcoxon's, one-sided, adjusted by Holm over the whole ledger; one "
        "that disjoint halves of the seeds contradict (even and odd, first and last) is not "
        "decided; diverged runs rank worst."
    )
    return [Paragraph(text), Table("ledger", "Claims and verdicts.", COLUMNS, rows)]
