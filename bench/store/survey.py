"""State of a run: every planned cell is done, diverged, failed, stale or missing, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.cells import Cell
from bench.core import plugins
from bench.store.files import Damaged, StoredResult
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import Missing, Store
from bench.studies import Plan

STATES = ("done", "diverged", "failed", "stale", "missing")
# An error raised by a cell's own code would happen again; other failures come from the machine,
# and the same command tries those cells once more.
LASTING = "raised"
DAMAGED = "damaged"


@dataclass(frozen=True)
class Standing:
    """A planned cell and what the store holds for it."""

    cell: Cell
    studies: tuple[str, ...]
    state: str
    reason: str = ""
    record: StoredResult | None = None  # present also if stale
    failure: dict[str, Any] | None = None

    @property
    def damaged(self) -> bool:
        """Whether the stored result is damaged."""
        return self.reason.startswith(DAMAGED)

    @property
    def wants_computing(self) -> bool:
        """Whether a plain `femnets run` computes it."""
        if self.state == "failed" and self.failure is not None:
            return self.failure["reason"] != LASTING
        return self.state == "missing"


def survey(store: Store, plans: Iterable[Plan], *, verify: bool = False) -> list[Standing]:
    """The standing of each planned cell, once even if several studies share it.

    `verify` reads every file whole; otherwise arrays and weights are checked by their size.
    """
    studies: dict[Cell, list[str]] = {}
    edited: dict[str, str] = {}
    for plan in plans:
        edited |= plugins.changed(plan.plugins)
        for cell in plan.cells:
            owners = studies.setdefault(cell, [])
            if plan.study not in owners:
                owners.append(plan.study)
    found = [
        standing(store, cell, tuple(owners), verify=verify) for cell, owners in studies.items()
    ]
    return [_edited(each, edited) for each in found] if edited else found


def _edited(found: Standing, edited: Mapping[str, str]) -> Standing:
    """Mark a cell as stale if a user's file that it names has changed."""
    paths = [edited[name] for name in plugins.names_in(found.cell.config) if name in edited]
    if not paths or found.record is None:
        return found
    return replace(found, state="stale", reason=f"{paths[0]} has changed since")


def standing(
    store: Store, cell: Cell, studies: tuple[str, ...] = (), *, verify: bool = False
) -> Standing:
    current = fingerprint_of(cell)
    reason = "not computed yet"
    record = None
    try:
        record = store.read(cell)
        if verify:
            record.verify()
    except Missing:
        pass
    except Damaged as error:
        record, reason = None, f"{DAMAGED}: {error}"
    if record is not None and record.fingerprint == current:
        return Standing(cell, studies, record.state, record=record)
    failure = store.failure(cell)
    if failure is not None and failure["fingerprint"] == current:
        return Standing(cell, studies, "failed", failure["error"], record, failure)
    if record is not None:
        return Standing(cell, studies, "stale", "the code has changed since", record)
    return Standing(cell, studies, "missing", reason)


def counts(standings: Sequence[Standing]) -> dict[str, int]:
    """How many cells are in each state, including zeros."""
    found = Counter(standing.state for standing in standings)
    return {state: found[state] for state in STATES}
