"""The ledger in three parts: the paper's claims, our controls, the formulas as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from bench.claims import (
    DECIDING_SEEDS,
    PARTS,
    SEED_DEPENDENT,
    Compared,
    Entry,
    Part,
    agreement,
    family_sizes,
)
from bench.store.results import FIRST_CONFIRMATORY, Results
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.first_page import Bar, forest
from reports.first_page import compared

TITLE = "The ledger of claims"
ORDER = 60
STUDIES = ()  # every claim names its own
GAP = ""

TITLES = {"paper": "the paper's words", "control": "", "formula": "as printed"}


def verdict_of(run: Run, entry: Entry) -> tuple[str, str]:
    """Status and words; of the run alone, unless one that it is compared with contradicts it."""
    same = [e for other in run.others for e in other.ledger if e.claim.name == entry.claim.name]
    together = agreement([entry, *same]) if same else ""
    if together.startswith(SEED_DEPENDENT):
        return "depends", together
    return entry.status, entry.verdict


SIDE = "ratio of errors, median and 95 % interval over seeds (left of 1: the claim holds)"


def headline(run: Run) -> str:
    """The verdicts on the paper's claims, counted."""
    papers = [e for e in run.ledger if e.claim.part == "paper" and e.status != "not tested yet"]
    tally = Counter(verdict_of(run, entry)[0] for entry in papers)
    return f"**Claims of the paper that were tested: {len(papers)}.** {_counts(tally)}." * bool(
        tally
    )


STATUSES = ("holds", "does not hold", "depends", "not testable as stated", "not tested yet")
TOO_FEW = "too few seeds"


def _counts(tally: Counter[str]) -> str:
    """`holds 3, depends 1`"""
    known = (*STATUSES, TOO_FEW)
    return ", ".join(f"{status} {tally[status]}" for status in known if tally[status])


def article(run: Run) -> list[Block]:
    """The paper's comparisons as a forest plot, and a tally of all verdicts."""
    if not any(entry.status != "not tested yet" for entry in run.ledger):
        return []
    lead = (
        "Every claim has a rule with the day on which it was declared, and is decided by results "
        f"alone ([[tally]]). {headline(run)} Comparisons pair runs of one seed, tests are "
        "two-sided, p-values are corrected by Holm's method over all comparisons of a part; with "
        f"fewer than {DECIDING_SEEDS} seeds hardly anything is decided. The ledger itself, with "
        "rules and evidence, is in the supplement."
    )
    return [Paragraph(lead), _tally(run), *_comparisons(run, "claims", "paper")]


def _comparisons(run: Run, name: str, part: Part) -> list[Block]:
    """All comparisons of a part but those of the τ study, which has a forest of its own."""
    found = [pair for pair in compared(run.ledger) if pair[0].claim.part == part]
    if found:
        studied = {r.key for r in run.records if r.kind == "tau_arm"}
        found = [pair for pair in found if not studied & set(pair[1].cells)]
    bars = _bars(run, found)
    caption = (
        f"{PARTS[part]}: {_counts(Counter(bar.verdict for bar in bars))}. The ratio of errors of "
        "runs that share starting weights and data, median and 95 % interval over seeds; left of 1 "
        "the claim holds. Comparisons of the τ study have a figure of their own."
    )
    return [_forest(run, name, caption, found, bars)] if bars else []


def _bars(run: Run, found: Sequence[tuple[Entry, Compared]]) -> list[Bar]:
    return [
        Bar(
            shortened(entry.claim.sentence),
            c.ratio,
            c.low,
            c.high,
            _word(run, entry),
            tuple(finding.cells),
        )
        for entry, finding in found
        for c in (finding.comparison,)
        if 0 < c.ratio < float("inf")
    ]


def _word(run: Run, entry: Entry) -> str:
    """What is compared and still not tested has too few seeds to be decided."""
    status = verdict_of(run, entry)[0]
    return TOO_FEW if status == "not tested yet" else status


def _forest(
    run: Run,
    name: str,
    caption: str,
    found: Sequence[tuple[Entry, Compared]],
    bars: Sequence[Bar],
) -> Picture:
    cells = {key for _, finding in found for key in finding.cells}
    source = run.made_by(Results([r for r in run.records if r.key in cells]))
    alt = "; ".join(f"{bar.text}: {bar.ratio:.2g}, {bar.verdict}" for bar in bars)
    return Picture(name, caption, partial(forest, bars, SIDE), alt, source)


def shortened(sentence: str) -> str:
    """Without the full stop and without what the caption says of all."""
    return sentence.rstrip(".").replace(", each arm tuned alike", "")


def _tally(run: Run) -> Table:
    """Kinds of claims by verdicts."""
    rows: list[tuple[Value, ...]] = []
    for part, title in PARTS.items():
        entries = [entry for entry in run.ledger if entry.claim.part == part]
        tally = Counter(verdict_of(run, entry)[0] for entry in entries)
        confirmed = sum(entry.standing == "confirmed" for entry in entries)
        if entries:
            rows.append((title, *(tally[status] for status in STATUSES), confirmed))
    columns = [Column("kind of claim"), *(Column(status, "count") for status in STATUSES)]
    columns.append(Column("confirmed", "count"))
    caption = (
        "Verdicts by kind of claim. Confirmed are verdicts with a declared rule whose seeds no "
        "pilot and no tuning has used; all others are exploratory."
    )
    return Table("tally", caption, columns, rows)


def contents(run: Run) -> list[Block]:
    if not run.ledger:
        return []
    verdicts = {entry.claim.name: verdict_of(run, entry) for entry in run.ledger}
    standing = Counter(entry.standing for entry in run.ledger)
    sizes = family_sizes([entry.claim for entry in run.ledger])
    families = ", ".join(f"{title.lower()} {sizes[part]}" for part, title in PARTS.items())
    text = (
        f"Claims: {len(run.ledger)} ({_counts(Counter(s for s, _ in verdicts.values()))}). "
        f"Confirmed verdicts: {standing['confirmed']}, whose rule was declared on the day it names "
        f"and whose seeds, from {FIRST_CONFIRMATORY} on, no pilot and no tuning has used. "
        f"Exploratory: {standing['exploratory']}. Tests are Wilcoxon's, two-sided, of runs that "
        "share initial weights and data; p-values are corrected by Holm's method over all "
        f"comparisons that a part declares, with data or without ({families}). A comparison that "
        "disjoint halves of the seeds contradict is not decided; diverged runs rank worst."
    )
    parts = [(part, [e for e in run.ledger if e.claim.part == part]) for part in PARTS]
    return [
        Paragraph(text),
        *_comparisons(run, "claims-of-ours", "control"),
        *(_table(part, entries, verdicts) for part, entries in parts if entries),
    ]


def _table(part: Part, entries: Sequence[Entry], verdicts: dict[str, tuple[str, str]]) -> Table:
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
    place = [column.title for column in columns].index("verdict")
    tints = {(at, place): verdicts[e.claim.name][0] for at, e in enumerate(entries)}
    return Table(f"ledger-{part}", f"{PARTS[part]}.", columns, rows, tints=tints)


def _in_full(entry: Entry, words: str) -> str:
    """does not hold, substantive error; confirmed"""
    failed = entry.status in ("does not hold", "depends")
    fault = f", {entry.claim.fault}" if entry.claim.fault and failed else ""
    return words + fault + (f"; {entry.standing}" if entry.standing else "")
