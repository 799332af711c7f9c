"""The ledger as a list that opens: verdict and sentence first, then rule, evidence and seeds."""

from __future__ import annotations

from dataclasses import dataclass

from bench.claims import Entry
from reports.context import Run
from reports.sections.ledger import NAME, interval, verdict_of


@dataclass(frozen=True)
class Item:
    """A claim as the page lists it."""

    name: str
    part: str
    sentence: str
    status: str
    standing: str  # confirmed, exploratory or neither
    facts: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]


def listed(run: Run) -> dict[str, list[Item]]:
    """By the name of the table that the list stands for."""
    known = {record.key for record in run.records}
    items = [_item(run, entry, known) for entry in run.ledger]
    return {NAME: items} if items else {}


def _item(run: Run, entry: Entry, known: set[str]) -> Item:
    claim, (status, words) = entry.claim, verdict_of(run, entry)
    failed = status in ("fails", "depends") and claim.fault
    effect = "" if entry.effect is None else f"{entry.effect:.3g}, 95 % interval {interval(entry)}"
    p = "" if entry.p_adjusted is None else f"{entry.p_adjusted:.2g}, Holm's over its study"
    facts = (
        ("verdict", f"{words}, {claim.fault}" if failed else words),
        ("the paper's words" if claim.part == "paper" else "as printed", claim.words),
        ("where", claim.where if claim.words else ""),
        ("note", claim.note),
        ("criterion", claim.criterion),
        ("declared", claim.declared or "not declared"),
        ("evidence", f"run `{entry.evidence}`" if not entry.tested else entry.evidence),
        ("effect", effect),
        ("p-value", p),
        ("domain", entry.domain),
        ("seeds", str(entry.seeds or "")),
    )
    kept = tuple((term, text) for term, text in facts if text)
    keys = tuple(key for key in entry.cells if key in known)
    return Item(claim.name, claim.part, claim.sentence, status, entry.standing, kept, keys)
