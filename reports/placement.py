"""Where the figures and tables of an article stand in print: between paragraphs, near to where the
source has them, and without large gaps at the ends of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reports.document import Block, Document, Formula, Picture, Section, Table, slug

MOST_MOVES = 3  # blocks that a figure may stand before or behind its place in the source
LARGE_GAP = 45.0  # points: three lines

Gaps = Callable[[Document], Mapping[str, float]]
"""Of a document: by the name of a figure or table the gap before it, in points."""


@dataclass(frozen=True)
class _Placed:
    """A block with the section and the chapter (a section of the first level) that it is in."""

    block: Block
    section: int
    chapter: int

    @property
    def moves(self) -> bool:
        return isinstance(self.block, Picture | Table)


def place_figures(document: Document, gaps: Gaps) -> Document:
    """The document with its figures and tables moved; their order and numbers stay."""
    for name in document.labels():
        best, smallest = document, float("inf")
        for moved in _moves(document, name):
            gap = gaps(moved)[name]
            if gap < smallest:
                best, smallest = moved, gap
            if gap <= LARGE_GAP:
                break
        document = best
    return document


def _moves(document: Document, name: str) -> Iterator[Document]:
    """The document as it is, then with the figure or table elsewhere in its section, then in the
    next ones."""
    blocks = _blocks(document)
    at = next(k for k, b in enumerate(blocks) if b.moves and slug(b.block.name) == name)  # type: ignore[union-attr]
    rest = blocks[:at] + blocks[at + 1 :]
    places = [k for k in range(at - MOST_MOVES, at + MOST_MOVES + 1) if _may_stand(rest, k, at)]
    own = blocks[at].section
    yield document
    for place in sorted(places, key=lambda k: (rest[k - 1].section != own, abs(k - at))):
        moved = replace(rest[place - 1], block=blocks[at].block)
        if place != at and moved.chapter == blocks[at].chapter and moved.section >= own:
            yield _with_blocks(document, [*rest[:place], moved, *rest[place:]])


def _may_stand(rest: Sequence[_Placed], place: int, at: int) -> bool:
    """Behind a block of text, not next to a formula, which is part of a sentence, and not beyond
    another figure or table."""
    if not 0 < place <= len(rest):
        return False
    passed = rest[min(place, at) : max(place, at)]
    beside = [b.block for b in rest[place - 1 : place + 1] if b.section == rest[place - 1].section]
    formula = any(isinstance(block, Formula) for block in beside)
    return not formula and not any(b.moves for b in passed)


def _blocks(document: Document) -> list[_Placed]:
    found = []
    chapter = -1
    for number, (depth, section) in enumerate(document.walk()):
        chapter += depth == 0
        found += [_Placed(block, number, chapter) for block in section.blocks]
    return found


def _with_blocks(document: Document, blocks: Sequence[_Placed]) -> Document:
    """The document with its sections filled again."""
    numbers = iter(range(len(list(document.walk()))))

    def filled(sections: Sequence[Section]) -> list[Section]:
        made = []
        for section in sections:
            number = next(numbers)
            own = [placed.block for placed in blocks if placed.section == number]
            made.append(replace(section, blocks=own, subsections=filled(section.subsections)))
        return made

    return replace(document, sections=filled(document.sections))
