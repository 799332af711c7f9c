"""What the study does not show, every choice made after a look, and how to make it again."""

from __future__ import annotations

from collections import Counter

from bench.store.results import FIRST_CONFIRMATORY
from reports.context import Run
from reports.document import Block, Paragraph
from reports.formatting import show

TITLE = "Limits of the study, and how to reproduce it"
ORDER = 99
STUDIES = ()
GAP = ""

# Choices that were made with results in view, whatever the run; `docs/fairness.md` has them too.
AFTER_A_LOOK = (
    "The width η = 2 of the activation in the recipe `record` was chosen by the error in a ring of "
    "the cylinder that is held out, a rule that was introduced after errors on the cube had been "
    "seen for tuning seeds.",
    "The claim that net errors are flat in h was narrowed to the paper's eight nets after other "
    "nets had been seen to vary.",
)


def article(run: Run) -> list[Block]:
    if not run.records:
        return []
    return [Paragraph(text) for text in (_scope(), _seeds(run), _looks(run), _again(run)) if text]


def contents(run: Run) -> list[Block]:
    return []


def _scope() -> str:
    return (
        "Fields are known in closed form wherever errors are exact; domains are unions of boxes; "
        "everything runs on the CPU. Seconds are those of one machine: read ratios. Methods were "
        "told different things, and only those told the same are compared."
    )


def _seeds(run: Run) -> str:
    """Which seeds the verdicts rest on."""
    standing = Counter(entry.standing for entry in run.ledger if entry.standing)
    if not standing:
        return ""
    return (
        f"{standing['confirmed']} verdicts are confirmed: all seeds behind them are from "
        f"{FIRST_CONFIRMATORY} on, which no pilot and no tuning has used. "
        f"{standing['exploratory']} are exploratory."
    )


def _looks(run: Run) -> str:
    noted = [
        f"{entry.claim.sentence} ({entry.claim.note})"
        for entry in run.ledger
        if "after its result" in entry.claim.note
    ]
    return "**Choices made after a look.** " + " ".join([*AFTER_A_LOOK, *noted])


def _again(run: Run) -> str:
    studies = sorted(run.plans)
    if not studies:
        return ""
    seconds = sum(float(record.provenance.get("seconds") or 0.0) for record in run.records)
    return (
        f"**To reproduce:** `{run.command(*studies)}`; the cells of this run took "
        f"{show(seconds, 'seconds')} of computing in all. Errors repeat to the last digits that "
        "are shown, seconds do not."
    )
