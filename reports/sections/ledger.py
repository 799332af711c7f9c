"""The ledger in three parts: the paper's claims, our controls, the formulas as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.claims import (
    CONTRADICTED,
    DECIDING_SEEDS,
    PARTS,
    VERDICTS,
    Entry,
    Part,
    agreement,
    family_sizes,
)
from bench.store.results import FIRST_CONFIRMATORY
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table, Value

TITLE = "The ledger of claims"
ORDER = 85
STUDIES = ()  # every claim names its own
GAP = ""

TITLES = {
    "paper": "the paper's words",
    "control": "",
    "formula": "as printed",
    "other": "its words",
}


def verdict_of(run: Run, entry: Entry) -> tuple[str, str]:
    """Verdict and words; of the run alone, unless one that it is compared with contradicts it."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same]) if same else ""
    if together == CONTRADICTED:
        return "undecided", together
    words = f"{entry.verdict} (rule: {entry.rule})" if entry.rule else entry.verdict
    return entry.verdict, words


def _tally(run: Run) -> Table:
    """Kinds of claims by verdicts."""
    rows: list[tuple[Value, ...]] = []
    for part, title in PARTS.items():
        entries = [entry for entry in run.ledger if entry.claim.part == part]
        tally = Counter(verdict_of(run, entry)[0] for entry in entries)
        confirmed = sum(entry.standing == "confirmed" for entry in entries)
        if entries:
            rows.append((title, *(tally[verdict] for verdict in VERDICTS), confirmed))
    columns = [Column("kind of claim"), *(Column(verdict, "count") for verdict in VERDICTS)]
    columns.append(Column("confirmed", "count"))
    caption = (
        "Number of verdicts by kind of claim. Confirmed: the rule is declared, and no pilot and no "
        f"tuning has used the seeds (from {FIRST_CONFIRMATORY} on). All others are exploratory."
    )
    return Table("tally", caption, columns, rows)


def contents(run: Run) -> list[Block]:
    if not run.ledger:
        return []
    verdicts = {entry.claim.name: verdict_of(run, entry) for entry in run.ledger}
    sizes = family_sizes([entry.claim for entry in run.ledger])
    families = ", ".join(f"{family} {size}" for family, size in sorted(sizes.items()))
    text = (
        "Every claim has a criterion with the day on which it was declared, and is decided by "
        f"results alone ([[tally]]); fewer than {DECIDING_SEEDS} seeds are refused. "
        "Tests are Wilcoxon's, two-sided, of runs that share initial weights and data; p-values "
        "are corrected by Holm's method over all claims on seeds that a study declares, tested or "
        f"not ({families}). Diverged runs rank worst."
    )
    parts = [(part, [e for e in run.ledger if e.claim.part == part]) for part in PARTS]
    return [
        Paragraph(text),
        _tally(run),
        *(_table(part, entries, verdicts) for part, entries in parts if entries),
    ]


def _table(part: Part, entries: Sequence[Entry], verdicts: dict[str, tuple[str, str]]) -> Table:
    columns = [
        Column("claim"),
        *([Column(TITLES[part]), Column("where")] if TITLES[part] else []),
        Column("criterion and the day it was declared"),
        Column("verdict"),
        Column("evidence"),
    ]
    rows = []
    for entry in entries:
        claim = entry.claim
        rows.append(
            (
                claim.sentence + (f" ({claim.note})" if claim.note else ""),
                *([claim.words, claim.where] if TITLES[part] else []),
                f"{claim.criterion} ({claim.declared or 'not declared'})",
                _in_full(entry, verdicts[claim.name][1]),
                f"run `{entry.evidence}`" if not entry.tested else entry.evidence,
            )
        )
    place = [column.title for column in columns].index("verdict")
    tints = {(at, place): verdicts[e.claim.name][0] for at, e in enumerate(entries)}
    return Table(f"ledger-{part}", f"{PARTS[part]}.", columns, rows, tints=tints)


def _in_full(entry: Entry, words: str) -> str:
    """fails, substantive error; confirmed"""
    failed = entry.verdict in ("fails", "depends")
    fault = f", {entry.claim.fault}" if entry.claim.fault and failed else ""
    return words + fault + (f"; {entry.standing}" if entry.standing else "")
