"""The ledger in three parts: the paper's claims, our controls, the formulas as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import log

from bench.claims import PARTS, SEED_DEPENDENT, Compared, Entry, agreement, family_sizes
from bench.statistics import DECIDING_SEEDS, largest_family
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table
from reports.figures.first_page import Bar, forest
from reports.first_page import compared

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


MOST_BARS = 9  # on one page; all are in the supplement


def headline(run: Run) -> str:
    """How many of the paper's claims hold."""
    papers = [e for e in run.ledger if e.claim.part == "paper" and e.status != "not tested yet"]
    if not papers:
        return ""
    tally = Counter(_verdict(run, entry)[0] for entry in papers)
    counts = ", ".join(
        f"{number} {_plural(status, number)}" for status, number in tally.most_common()
    )
    return f"**Of {len(papers)} claims of the paper that were tested**, {counts}."


def _plural(status: str, number: int) -> str:
    """hold, do not hold, depend: as a sentence goes on after a number."""
    if number == 1 or not status.startswith(("holds", "does", "depends")):
        return status.replace(
            "not testable", "is not testable" if number == 1 else "are not testable"
        )
    return {"holds": "hold", "does not hold": "do not hold", "depends": "depend on a choice"}[
        status
    ]


def article(run: Run) -> list[Block]:
    """The comparisons as a forest plot, the paper's first and the widest effects above."""
    found = compared(run.ledger)
    if not found:
        return []
    chosen = sorted(found, key=_first)
    bars = [
        Bar(_short(entry.claim.sentence), c.ratio, c.low, c.high, _verdict(run, entry)[0])
        for entry, finding in chosen[:MOST_BARS]
        for c in (finding.comparison,)
        if c.ratio > 0 and c.ratio < float("inf")
    ]
    if not bars:
        return []
    shown = f"The {len(bars)} of {len(found)} comparisons" if len(bars) < len(found) else "All"
    caption = (
        f"{headline(run).replace('**', '') or 'What runs in pairs say of claims.'} {shown} that "
        "pair runs with equal weights and data: the ratio of errors, median and 95 % interval over "
        "seeds; left of 1 is the claim's side."
    )
    source = run.made_by(Results([r for r in run.records if r.key in _cells(found)]))
    draw = partial(forest, bars, "ratio of errors (left of 1: the claim's side)")
    alt = "; ".join(f"{bar.text}: {bar.ratio:.3g}, {bar.verdict}" for bar in bars)
    lead = (
        "Every claim has a rule that was declared on a day and is decided by results alone; the "
        "ledger in the supplement has them all, with the paper's words, our controls and the "
        "formulas as printed."
    )
    return [Paragraph(lead), Picture("claims", caption, draw, alt, source)]


def _first(pair: tuple[Entry, Compared]) -> tuple[bool, bool, float]:
    """What was decided before what was not, the paper's claims first, wide effects first."""
    entry, finding = pair
    untested = entry.status == "not tested yet"
    return untested, entry.claim.part != "paper", -_size(finding)


def _short(sentence: str, most: int = 64) -> str:
    """For one line beside a bar."""
    text = sentence.rstrip(".")
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + " …"


def _size(finding: Compared) -> float:
    ratio = finding.comparison.ratio
    return abs(log(ratio)) if 0 < ratio < float("inf") else 0.0


def _cells(found: Sequence[tuple[Entry, Compared]]) -> set[str]:
    return {key for _, finding in found for key in finding.cells}


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
