"""The ledger: every claim with its verdict, in one table that filters."""

from __future__ import annotations

from bench.claims import PARTS, SEED_DEPENDENT, Entry, agreement
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table

TITLE = "The ledger of claims"
ORDER = 85
STUDIES = ()  # every claim names its own
GAP = ""
NAME = "ledger"
UNTESTED = "not tested yet"
TEXT = (
    "The paper's claims, controls of ours, and the paper's formulas as printed. Every claim has a "
    "rule, declared before its results were computed, and is decided by results alone. Tests are "
    "Wilcoxon's, two-sided, of runs that share initial weights and data; p-values are corrected by "
    "Holm's method over all comparisons that a part declares. Diverged runs rank worst. A verdict "
    "is confirmed on seeds from 1000 on, which no pilot and no tuning has used. On the page, each "
    "claim opens to its rule, its evidence and its runs. Claims without results in this run are "
    "only on the page."
)


def verdict_of(run: Run, entry: Entry) -> tuple[str, str]:
    """Status and words; of the run alone, unless one that it is compared with contradicts it."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same]) if same else ""
    if together.startswith(SEED_DEPENDENT):
        return "depends", together
    return entry.status, entry.verdict


def contents(run: Run) -> list[Block]:
    if not run.ledger:
        return []
    tested = [entry for entry in run.ledger if entry.status != UNTESTED] or run.ledger
    verdicts = [verdict_of(run, entry) for entry in tested]
    rows = [
        (PARTS[entry.claim.part], entry.claim.sentence, words, entry.standing)
        for entry, (_, words) in zip(tested, verdicts, strict=True)
    ]
    tints = {(at, 2): status for at, (status, _) in enumerate(verdicts)}
    columns = [Column("part"), Column("claim"), Column("verdict"), Column("standing")]
    caption = "Claims and verdicts."
    return [Paragraph(TEXT), Table(NAME, caption, columns, rows, tints=tints)]
