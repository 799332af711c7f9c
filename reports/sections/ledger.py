"""The ledger: every claim with its verdict, in one table that filters."""

from __future__ import annotations

from bench.claims import CONTRADICTED, Entry, agreement
from reports.context import Run
from reports.document import Block, Column, Details, Paragraph, Table

TITLE = "The ledger of claims"
ORDER = 85
TEXT = (
    "The paper's claims (part paper), findings of ours (control), the paper's formulas as printed "
    "(formula), and claims of other papers (other). Every claim has a criterion, declared before "
    "its results were computed, and is decided by results alone. Tests are Wilcoxon's, two-sided, "
    "of runs that share initial weights and data; p-values are corrected by Holm's method over all "
    "claims that a study declares. Diverged runs rank worst. The effect is a ratio of errors or a "
    "share of seeds, with its 95 % interval; no difference means that the interval lies within a "
    "declared margin. A verdict is confirmed on seeds from 1000 on, which no pilot and no tuning "
    "has used. On the page, each claim opens to its criterion, its evidence and its runs; claims "
    "without results in this run are only there."
)
CAPTION = "Claims and verdicts."
COLUMNS = [
    Column("part"),
    Column("claim"),
    Column("verdict"),
    Column("effect", "number"),
    Column("interval"),
    Column("seeds", "count"),
    Column("standing"),
]


def verdict_of(run: Run, entry: Entry) -> tuple[str, str]:
    """Verdict and words; of the run alone, unless one that it is compared with contradicts it."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same]) if same else ""
    if together == CONTRADICTED:
        return "undecided", together
    words = f"{entry.verdict} (rule: {entry.rule})" if entry.rule else entry.verdict
    return entry.verdict, words


def contents(run: Run) -> list[Block]:
    decided = [e for e in run.ledger if e.tested and e.verdict != "refused"]
    tested = decided or [e for e in run.ledger if e.tested] or run.ledger
    entries = [*tested, *(entry for entry in run.ledger if entry not in tested)]
    verdicts = [verdict_of(run, entry) for entry in entries]
    rows = [
        (entry.claim.part, entry.claim.sentence, words, entry.effect, interval(entry),
         entry.seeds or None, entry.standing)
        for entry, (_, words) in zip(entries, verdicts, strict=True)
    ]  # fmt: skip
    tints = {(at, 2): verdict for at, (verdict, _) in enumerate(verdicts)}
    known = {record.key for record in run.records}
    pairs = zip(entries, verdicts, strict=True)
    details = [_details(entry, verdict, known) for entry, (verdict, _) in pairs]
    table = Table("ledger", CAPTION, COLUMNS, rows, None, tints, {}, details, len(tested))
    return [Paragraph(TEXT), table]


def _details(entry: Entry, verdict: str, known: set[str]) -> Details:
    """What is known about a claim and its verdict."""
    claim = entry.claim
    p = "" if entry.p_adjusted is None else f"{entry.p_adjusted:.2g}, Holm's over its study"
    facts = (
        ("what fails", claim.fault if verdict in ("fails", "depends") else ""),
        ("the paper's words" if claim.part == "paper" else "as printed", claim.words),
        ("where", claim.where if claim.words else ""),
        ("note", claim.note),
        ("criterion", claim.criterion),
        ("declared", claim.declared or "not declared"),
        ("evidence", entry.evidence if entry.tested else f"run `{entry.evidence}`"),
        ("p-value", p),
        ("domain", entry.domain),
    )
    cells = tuple(key for key in entry.cells if key in known)
    return Details(f"claim-{claim.name}", [(term, text) for term, text in facts if text], cells)


def interval(entry: Entry) -> str:
    """`0.66 to 0.85`, or nothing."""
    return f"{entry.interval[0]:.3g} to {entry.interval[1]:.3g}" if entry.interval else ""
