"""Everything that a run gives a reader to explore, gathered for the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from base.errors import UserError
from bench.core.information import INFORMATION
from bench.store.files import Damaged
from bench.store.results import Results
from reports.context import Run
from reports.document import Picture
from reports.faults import note
from reports.fields import Fields
from reports.figures.glance import drawable, given_panels
from reports.interactive.cells import Listing, listings
from reports.interactive.claims import Item, listed
from reports.interactive.finder import Finder
from reports.interactive.one_field import find

T = TypeVar("T")


@dataclass(frozen=True)
class Explored:
    """The listed results, the finder, claims by table, and figures for other problems by figure."""

    cells: Sequence[Listing]
    finder: Finder | None = None
    claims: Mapping[str, Sequence[Item]] = field(default_factory=dict)
    others: Mapping[str, Sequence[tuple[str, Picture]]] = field(default_factory=dict)

    def renamed(self, shown: Callable[[str], str]) -> Explored:
        """With every name as a reader knows it; cells keep theirs, which say the version."""
        return replace(self, finder=self.finder and self.finder.renamed(shown))


def explored(run: Run) -> Explored:
    return Explored(
        listings(run.records),
        _tried("the finder", lambda: find(run), None),
        _tried("the list of claims", lambda: listed(run), {}),
        _tried("the figures for other problems", lambda: _others(run), {}),
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


def _others(run: Run) -> dict[str, list[tuple[str, Picture]]]:
    """The first figure for the other problems."""
    fields = Fields.of(run)
    others = []
    for problem in [name for name in fields.by_problem if name != fields.main]:
        field = drawable(c for track in INFORMATION for c in fields.fullest(problem, track))
        if field:
            source = run.made_by(Results([r for c in field for r in c.records]))
            caption = f"The same for `{problem}`: one panel per kind of information."
            draw = partial(given_panels, field)
            others.append((problem, Picture(f"given-{problem}", caption, draw, caption, source)))
    return {"given": others}
