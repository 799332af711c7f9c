"""Comparisons that break a rule of fairness, and so get no verdict."""

from __future__ import annotations

from reports.context import Run
from reports.document import Block, Column, Paragraph, Table

TITLE = "Refused comparisons"
ORDER = 85.5
TEXT = (
    "A comparison that breaks a rule of fairness gets no verdict: too few seeds, a search that "
    "ended at its edge, a ladder of meshes that stopped before the other method's time was used. "
    "Each row names the rule, and why this run breaks it."
)
CAPTION = "Claims on which this run may not decide, by rule."


def contents(run: Run) -> list[Block]:
    refused = sorted((e for e in run.ledger if e.verdict == "refused"), key=lambda e: e.rule)
    if not refused:
        return []
    rows = [(e.rule, e.claim.sentence, e.evidence.partition(";")[0]) for e in refused]
    columns = [Column("rule"), Column("claim"), Column("why")]
    return [Paragraph(TEXT), Table("refused", CAPTION, columns, rows)]
