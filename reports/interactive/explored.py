"""Everything that a run gives a reader to explore, gathered for the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from base.errors import UserError
from bench.store.files import Damaged
from reports.context import Run
from reports.faults import note
from reports.interactive.cells import Listing, listings
from reports.interactive.claims import Item, listed
from reports.interactive.finder import Finder
from reports.interactive.one_field import find

T = TypeVar("T")


@dataclass(frozen=True)
class Explored:
    """The listed results, the finder, and the claims."""

    cells: Sequence[Listing]
    finder: Finder | None = None
    claims: Mapping[str, Sequence[Item]] = field(default_factory=dict)

    def renamed(self, shown: Callable[[str], str]) -> Explored:
        """With every name as a reader knows it; cells keep theirs, which say the version."""
        return replace(self, finder=self.finder and self.finder.renamed(shown))


def explored(run: Run) -> Explored:
    return Explored(
        listings(run.records),
        _tried("the finder", lambda: find(run), None),
        _tried("the list of claims", lambda: listed(run), {}),
    )


def _tried(what: str, made: Callable[[], T], otherwise: T) -> T:
    """Results that were altered by hand cost the page an extra, not the page."""
    try:
        return made()
    except (Damaged, UserError):
        raise
    except Exception as error:  # see `reports.faults`
        note(what, error)
        return otherwise
