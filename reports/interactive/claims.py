"""The ledger as a list that opens: verdict and sentence first, then rule, evidence and seeds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.claims import Entry
from bench.store.results import StoredResult
from reports.context import Run
from reports.sections.ledger import NAME, verdict_of


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
    records = {record.key: record for record in run.records}
    items = [
        _item(run, entry, [records[key] for key in entry.cells if key in records])
        for entry in run.ledger
    ]
    return {NAME: items} if items else {}


def _item(run: Run, entry: Entry, behind: list[StoredResult]) -> Item:
    claim, (status, words) = entry.claim, verdict_of(run, entry)
    failed = status in ("fails", "depends") and claim.fault
    p = "" if entry.p_adjusted is None else f"{entry.p_adjusted:.2g}, Holm's over its study"
    facts = (
        ("verdict", f"{words}, {claim.fault}" if failed else words),
        ("the paper's words" if claim.part == "paper" else "as printed", claim.words),
        ("where", claim.where if claim.words else ""),
        ("note", claim.note),
        ("criterion", claim.criterion),
        ("declared", claim.declared or "not declared"),
        ("evidence", f"run `{entry.evidence}`" if not entry.tested else entry.evidence),
        ("p-value", p),
        ("domain", entry.domain),
        ("seeds", seeds(behind)),
    )
    kept = tuple((term, text) for term, text in facts if text)
    keys = tuple(record.key for record in behind)
    return Item(claim.name, claim.part, claim.sentence, status, entry.standing, kept, keys)


def seeds(records: Iterable[StoredResult]) -> str:
    """`0–4, 7`: the seeds of weights, else of data, behind a verdict."""
    records = list(records)
    for names in (("seed", "seeds"), ("data_seed", "data_seeds")):
        used: set[int] = set()
        for record in records:
            for name in names:
                said = record.config.get(name)
                used.update(said if isinstance(said, list) else [] if said is None else [said])
        if used:
            return _runs(sorted(used))
    return ""


def _runs(numbers: list[int]) -> str:
    parts: list[tuple[int, int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    return ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in parts)
