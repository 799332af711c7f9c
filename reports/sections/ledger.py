"""The ledger: every claim of the paper with the verdict that the results give."""

from __future__ import annotations

from collections import Counter

from bench.claims import Entry, agreement
from reports.context import Run
from reports.document import Column, Paragraph, Section, Table

ORDER = 40

COLUMNS = [
    Column("claim"),
    Column("where"),
    Column("rule, declared before looking"),
    Column("verdict"),
    Column("evidence"),
]


def _verdict(run: Run, entry: Entry) -> str:
    """Of the run alone, unless a run that it is held against decides the other way."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same])
    return together if together.startswith("seed-dependent") else entry.verdict


def section(run: Run) -> Section | None:
    if not run.ledger:
        return None
    tally = Counter(entry.status for entry in run.ledger)
    counts = ", ".join(f"{number} {status}" for status, number in tally.most_common())
    rows = [
        (
            entry.claim.sentence + (f" ({entry.claim.note})" if entry.claim.note else ""),
            entry.claim.where,
            entry.claim.rule,
            _verdict(run, entry),
            f"run `{entry.evidence}`" if entry.status == "not tested yet" else entry.evidence,
        )
        for entry in run.ledger
    ]
    return Section(
        "The ledger of claims",
        [
            Paragraph(
                f"Of {len(run.ledger)} claims: {counts}. Comparisons pair runs that share initial "
                "weights and data; p-values are Wilcoxon's, one-sided, adjusted by Holm over the "
                "whole ledger; one that disjoint halves of the seeds contradict (even and odd, "
                "first and last) is not decided; diverged runs rank worst."
            ),
            Table("ledger", "Claims and verdicts.", COLUMNS, rows),
        ],
    )
