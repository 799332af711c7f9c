"""The report's sections: one file each, which says everything about itself.

A section module defines

    TITLE      its heading
    ORDER      a number: sections are read in this order
    STUDIES    the studies that feed it; () for a section about whatever the run has
    GAP        what is said when those studies are planned and have given nothing yet
    contents   Run -> blocks and subsections, in reading order; none where it has nothing to show
    IN_ARTICLE names of figures and tables that belong into the article, after the first paragraph:
               each a list of patterns, of which the first that matches counts
    article    or a function like `contents` for the main text. Contents go to the supplement,
               without what the article shows already
    headline   Run -> its sentence in the abstract, begun by **the answer in a few words**; or ""

A fault in one section leaves a note in its place and the others whole.

The last three are optional. A section without contents is left out, unless one of its studies
belongs to the run: then its gap is named among all that is missing, with the command that fills it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Protocol, TypeGuard, TypeVar, cast

from base.errors import UserError
from base.registry import Registry
from bench.store.files import Damaged
from reports.context import Run
from reports.document import Block, Missing, Paragraph, Picture, Section, Table, walk
from reports.faults import note

Made = TypeVar("Made")
PARTS = ("TITLE", "ORDER", "STUDIES", "GAP", "contents")


class Described(Protocol):
    """What a file of this folder defines."""

    TITLE: str
    ORDER: float
    STUDIES: Sequence[str]
    GAP: str

    def contents(self, run: Run) -> Sequence[Block | Section]: ...


def _described(found: Any, name: str) -> Described:
    """The section of a file; one that does not describe itself is refused."""
    absent = [part for part in PARTS if not hasattr(found, part)]
    if absent:
        raise UserError(f"{__name__}.{name} is no section: it defines no {', '.join(absent)}")
    return cast(Described, found)


REGISTRY: Registry[Described] = Registry("section", __name__, _described)


@dataclass
class Unreadable:
    """In place of a section whose file cannot be read: asked for its contents, it says why."""

    TITLE: str
    error: Exception
    ORDER: float = math.inf
    STUDIES: Sequence[str] = ()
    GAP: str = ""

    def contents(self, run: Run) -> Sequence[Block | Section]:
        raise self.error


def _sections() -> list[Described]:
    """All sections in reading order, those that cannot be read last."""
    found: list[Described] = []
    for name in REGISTRY.names():
        try:
            found.append(REGISTRY.get(name))
        except Exception as error:
            found.append(Unreadable(name, error))
    return sorted(found, key=lambda section: section.ORDER)


def headlines(run: Run) -> list[str]:
    """The abstract: one sentence or two of every section that has some, in their order."""
    found = []
    for module in _sections():
        headline: Callable[[Run], str] | None = getattr(module, "headline", None)
        if headline:
            made = _guarded(module, partial(headline, run))
            found.append(made.text if isinstance(made, Paragraph) else made)
    return [sentence for sentence in found if sentence]


@dataclass(frozen=True)
class Parts:
    """The sections of the article and of the supplement, and what is missing in the run."""

    article: list[Section]
    supplement: list[Section]
    missing: list[Missing]


def all_sections(run: Run) -> Parts:
    parts = Parts([], [], [])
    for module in _sections():
        behind = make(module, run)
        article = getattr(module, "article", None)
        if article:
            first = _blocks(module, partial(article, run))
        else:
            first = _chosen(behind, getattr(module, "IN_ARTICLE", ()))
        shown = section(module.TITLE, first)
        both = [part for part in (shown, behind) if part is not None]
        parts.missing.extend(dict.fromkeys(b for _, s in walk(both) for b in _gaps(s)))
        seen = {b.name for _, s in walk(both[:1] if shown else []) for b in s.blocks if _named(b)}
        parts.article.extend(filter(None, [_pruned(shown, set())]))
        parts.supplement.extend(filter(None, [_pruned(behind, seen)]))
    return parts


def make(module: Described, run: Run) -> Section | None:
    """The section of a run, its gap, or None where the run is about something else."""
    parts = _blocks(module, partial(module.contents, run))
    planned = [study for study in module.STUDIES if study in run.plans]
    if not parts and planned:
        parts = [Missing(module.GAP, run.command(*planned))]
    return section(module.TITLE, parts, part="supplement")


def _blocks(
    module: Described, contents: Callable[[], Sequence[Block | Section]]
) -> Sequence[Block | Section]:
    made = _guarded(module, contents)
    return [made] if isinstance(made, Paragraph) else made


def _guarded(module: Described, make: Callable[[], Made]) -> Made | Paragraph:
    """What is made, or a note in its place that it could not be. A result that was replaced
    meanwhile is another matter: the report begins again."""
    try:
        return make()
    except Damaged:
        raise
    except Exception as error:
        return Paragraph(f"{note(f'section {module.TITLE!r}', error)}.")


def section(title: str, parts: Sequence[Block | Section], part: str = "") -> Section | None:
    """Blocks and subsections under a title; None where there are none."""
    if not parts:
        return None
    blocks = [each for each in parts if not isinstance(each, Section)]
    return Section(title, blocks, [s for s in parts if isinstance(s, Section)], part)


def _chosen(behind: Section | None, wanted: Sequence[Sequence[str]]) -> list[Block]:
    """The first paragraph and, of each list of patterns, the first figure or table it matches."""
    if behind is None or not wanted:
        return []
    blocks = [block for _, section in walk([behind]) for block in section.blocks]
    named = {block.name: block for block in reversed(blocks) if _named(block)}
    found = [
        next((n for pattern in patterns for n in reversed(named) if fnmatchcase(n, pattern)), None)
        for patterns in wanted
    ]
    pictures: list[Block] = [named[name] for name in found if name is not None]
    lead = [block for block in blocks if isinstance(block, Paragraph)][:1]
    return [*lead, *pictures] if pictures else []


def _named(block: Block) -> TypeGuard[Picture | Table]:
    return isinstance(block, Picture | Table)


def _gaps(section: Section) -> list[Missing]:
    return [block for block in section.blocks if isinstance(block, Missing)]


def _pruned(section: Section | None, seen: set[str]) -> Section | None:
    """Without gaps, which stand in one place, and without figures and tables shown elsewhere."""
    if section is None:
        return None
    blocks = [
        b
        for b in section.blocks
        if not isinstance(b, Missing) and not (_named(b) and b.name in seen)
    ]
    below = [p for p in (_pruned(s, seen) for s in section.subsections) if p is not None]
    if not blocks and not below:
        return None
    return replace(section, blocks=blocks, subsections=below)
