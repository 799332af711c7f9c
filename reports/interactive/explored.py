"""Everything that a run gives a reader to explore, gathered for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.context import Run
from reports.faults import tried
from reports.interactive.cells import Listing, listings
from reports.interactive.finder import Finder, find


@dataclass(frozen=True)
class Explored:
    """The listed results, and the finder."""

    cells: Sequence[Listing]
    finder: Finder | None = None


def explored(run: Run) -> Explored:
    """What the page offers; results that were altered by hand cost it an extra, not the page."""
    return Explored(
        listings(run.records),
        tried("the finder", lambda: find(run), lambda _: None),
    )
