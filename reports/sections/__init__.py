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

The last three are optional. A section without contents is left out, unless one of its studies
belongs to the run: then its gap is named among all that is missing, with the command that fills it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Protocol, TypeGuard, cast

from base.errors import UserError
from bench.store.files import Damaged
from reports.context import Run
from reports.document import Block, Missing, Paragraph, Picture, Section, Table, walk
from reports.faults import note

PARTS = ("TITLE", "ORDER", "STUDIES", "GAP", "contents")


class Described(Protocol):
    """What a file of this folder defines."""

    TITLE: str
    ORDER: float
    STUDIES: Sequence[str]
    GAP: str

    def contents(self, run: Run) -> Sequence[Block | Section]: ...


def headlines(run: Run) -> list[str]:
    """The abstract: what sections have to say first, in their order."""
    said = (getattr(module, "headline", _silence)(run) for module in _modules())
    return [sentence for sentence in said if sentence]


def _silence(run: Run) -> str:
    return ""


def _modules() -> list[Described]:
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_"]
    return sorted((load(name) for name in names), key=lambda module: module.ORDER)


@dataclass(frozen=True)
class Parts:
    """The sections of the article and of the supplement, and what is missing in the run."""

    article: list[Section]
    supplement: list[Section]
    missing: list[Missing]


def all_sections(run: Run) -> Parts:
    parts = Parts([], [], [])
    for module in _modules():
        behind = make(module, run)
        article = getattr(module, "article", None)
        if article:
            first = _tried(module, partial(article, run), run)
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
    parts = _tried(module, lambda: module.contents(run), run)
    planned = [study for study in module.STUDIES if study in run.plans]
    if not parts and planned:
        parts = [Missing(module.GAP, run.command(*planned))]
    return section(module.TITLE, parts, part="supplement")


def _tried(
    module: Described, contents: Callable[[], Sequence[Block | Section]], run: Run
) -> Sequence[Block | Section]:
    """The contents, or what kept them from being compiled (`reports.faults`)."""
    try:
        return contents()
    except (Damaged, UserError):
        raise
    except Exception as error:
        said = note(f"section {module.TITLE!r}", error)
        return [Missing(f"{said}.", run.command(*module.STUDIES))]


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


def load(name: str) -> Described:
    """The section of that file; one that does not describe itself is refused."""
    module = importlib.import_module(f"{__name__}.{name}")
    absent = [part for part in PARTS if not hasattr(module, part)]
    if absent:
        raise UserError(f"{module.__name__} is no section: it defines no {', '.join(absent)}")
    return cast(Described, module)
