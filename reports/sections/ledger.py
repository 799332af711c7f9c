"""The ledger in three parts: the paper's claims, our controls, the formulas as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from bench.claims import PARTS, SEED_DEPENDENT, Compared, Entry, agreement, family_sizes
from bench.claims.statistics import DECIDING_SEEDS, largest_family
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.first_page import Bar, forest
from reports.first_page import compared
from reports.formatting import counted, listed

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


# The comparisons of the first page, chosen by what they are about and not by how they come out.
FIRST = (
    "tau-trains-better-resnet-6-50",
    "learned-tau-beats-fixed-resnet-50-adam",
    "layers-beat-global-resnet-50-adam",
    "2-50-beats-6-50-resnet-learned",
    "fractional-beats-resnet-l2_error_outside-learned",
    "paper-net-beats-linear-least-squares",
    "tuned-net-beats-quadratic-least-squares",
)
MOST_FIRST = 6
SIDE = "ratio of errors, median and 95 % interval over seeds (left of 1: the claim's side)"


def headline(run: Run) -> str:
    """How many of the paper's claims hold."""
    papers = [e for e in run.ledger if e.claim.part == "paper" and e.status != "not tested yet"]
    if not papers:
        return ""
    tally = Counter(verdict_of(run, entry)[0] for entry in papers)
    counts = listed([f"{tally[status]} {_verb(status, tally[status])}" for status in _order(tally)])
    tested = f"claim{'s' * (len(papers) != 1)} of the paper that {_were(len(papers))} tested"
    return f"**Of {len(papers)} {tested}, {counts}.**"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


VERBS = {  # of one claim, of several
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "depends": ("depends on a choice", "depend on a choice"),
    "not testable as stated": ("cannot be tested as stated", "cannot be tested as stated"),
    "not tested yet": ("is not tested yet", "are not tested yet"),
    "too few seeds": ("has too few seeds", "have too few seeds"),
}
STATUSES = tuple(VERBS)[:5]


def _verb(status: str, number: int) -> str:
    """As a sentence goes on after a number of claims."""
    return VERBS[status][number != 1]


def _order(tally: Counter[str]) -> list[str]:
    return [status for status in VERBS if tally[status]]


def first_claims(run: Run) -> list[Block]:
    """The comparisons that matter most as a forest plot; all are in the ledger's own section."""
    found = {entry.claim.name: (entry, finding) for entry, finding in compared(run.ledger)}
    chosen = [found[name] for name in FIRST if name in found][:MOST_FIRST]
    bars = _bars(run, chosen)
    if not bars:
        return []
    message = headline(run).replace("**", "") or "What runs in pairs say of claims."
    caption = (
        f"{message} Here {counted(len(bars), 'comparison')} that matter{'s' * (len(bars) == 1)} "
        "most, of runs that share starting weights and data; the rest is in the ledger's section."
    )
    return [_forest(run, "first-claims", caption, chosen, bars)]


def article(run: Run) -> list[Block]:
    """The paper's comparisons as a forest plot, and a tally of all verdicts."""
    if not any(entry.status != "not tested yet" for entry in run.ledger):
        return []
    lead = (
        "Every claim has a rule that was declared on a day and is decided by results alone: five "
        f"verdicts, three kinds of claims ([[tally]]). {headline(run)} Comparisons pair runs of "
        "one seed, tests are two-sided, p-values are Holm's over all that a part declares; with "
        f"fewer than {DECIDING_SEEDS} seeds hardly anything is decided. The ledger itself, with "
        "rules and evidence, is in the supplement."
    )
    return [Paragraph(lead), _tally(run), *_comparisons(run, "claims", "paper")]


def _comparisons(run: Run, name: str, part: str) -> list[Block]:
    """All comparisons of a part but those of the τ study, which has a forest of its own."""
    found = [pair for pair in compared(run.ledger) if pair[0].claim.part == part]
    if found:
        studied = {r.key for r in run.records if r.kind == "tau_arm"}
        found = [pair for pair in found if not studied & set(pair[1].cells)]
    bars = _bars(run, found)
    return [_forest(run, name, _message(part, bars), found, bars)] if bars else []


def _message(part: str, bars: Sequence[Bar]) -> str:
    tally = Counter(bar.verdict for bar in bars)
    counts = listed([f"{tally[status]} {_verb(status, tally[status])}" for status in _order(tally)])
    return (
        f"Of {counted(len(bars), 'comparison')} {WHOSE[part]}, {counts}. The ratio of errors of "
        "runs that share starting weights and data, median and 95 % interval over seeds; left of 1 "
        "is the claim's side. Comparisons of the τ study have a forest of their own."
    )


WHOSE = {"paper": "that the paper makes", "control": "of ours", "formula": "of formulas"}


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


TOO_FEW = "too few seeds"


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
        *_comparisons(run, "claims-of-ours", "control"),
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
    place = [column.title for column in columns].index("verdict")
    tints = {(at, place): verdicts[e.claim.name][0] for at, e in enumerate(entries)}
    caption = f"{PARTS[part]}."  # type: ignore[index]
    return Table(f"ledger-{part}", caption, columns, rows, tints=tints)


def _in_full(entry: Entry, words: str) -> str:
    """does not hold, substantive error; confirmed"""
    failed = entry.status in ("does not hold", "depends")
    fault = f", {entry.claim.fault}" if entry.claim.fault and failed else ""
    return words + fault + (f"; {entry.standing}" if entry.standing else "")
