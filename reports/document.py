"""What a report says, free of how it looks: one definition for the HTML page and for the PDF.

A section is a list of blocks; `reports.html` and `reports.pdf` each know how to set every block.
Text is plain: it is escaped in both media, and only `code between backticks`, **strong words** and
[[names]] of figures and tables are marked up, so nothing that comes from outside (a run's name, a
config, an error message) can be more than text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from reports.formatting import Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.interactive.cells import Listing
    from reports.interactive.finder import Finder

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Source:
    """How to make a number again: the cells it was computed from and the command that runs them."""

    command: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paragraph:
    text: str


NO_CURVES = Paragraph(
    "Curves along the training are not shown: these results come from a file that has none."
)


@dataclass(frozen=True)
class Formula:
    """A displayed formula in typst's notation, with the words a screen reader should say."""

    typst: str
    alt: str


@dataclass(frozen=True)
class Column:
    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Details:
    """What opens below a row of the page: terms with their texts, and the keys of results. Links
    lead to the row by `name`."""

    name: str
    facts: Sequence[tuple[str, str]]
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    source: Source | None = None
    tints: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """By row and column, what the colour of a cell says: a family, a verdict, or a rank."""
    notes: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """By row and column, a second, smaller entry: the time next to an error."""
    details: Sequence[Details] = ()
    """By row, if there are any: on the page such a table filters."""
    printed: int | None = None
    """How many rows are in print, if not all."""


@dataclass(frozen=True)
class Picture:
    """A figure, drawn when it is needed: once as SVG for the page, once for the PDF."""

    name: str
    caption: str
    draw: Callable[[], Figure]
    source: Source | None = None
    along: Sequence[Callable[[], Figure]] = ()
    """The same figure at earlier moments, for a medium with a slider."""
    floats: bool = True
    """Whether it may stand elsewhere on its page, before a title too."""


@dataclass(frozen=True)
class Items:
    """A list of short texts."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Missing:
    """An honest gap: what is not there, and the command that makes it."""

    what: str
    command: str


Block = Paragraph | Items | Formula | Table | Picture | Missing


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[Block]
    subsections: Sequence[Section] = ()

    @property
    def anchor(self) -> str:
        return slug(self.title)


@dataclass(frozen=True)
class Document:
    """Sections, numbered once; `abstract` is read first."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]] = field(default_factory=tuple)
    abstract: Sequence[str] = ()
    authors: str = ""
    references: Sequence[str] = ()
    finder: Finder | None = None  # for a medium that answers questions
    cells: Sequence[Listing] = ()  # every result behind it
    names: Mapping[str, str] = field(default_factory=dict)  # short ones, of files from outside

    def shown(self, text: str) -> str:
        """A finished text with the names of files from outside as a reader knows them."""
        for full, name in self.names.items():
            text = text.replace(full, name)
        return text

    def walk(self) -> Iterator[tuple[int, Section]]:
        """Every section with its depth, in reading order."""
        yield from walk(self.sections)

    def pictures(self) -> list[Picture]:
        return [b for _, s in self.walk() for b in s.blocks if isinstance(b, Picture)]

    def labels(self) -> dict[str, str]:
        """What figures and tables are called: `Figure 2`, `Table 1`, by name."""
        found: dict[str, str] = {}
        count = {"Figure": 0, "Table": 0}
        for _, section in self.walk():
            for block in section.blocks:
                if isinstance(block, Picture | Table):
                    kind = "Figure" if isinstance(block, Picture) else "Table"
                    count[kind] += 1
                    found[slug(block.name)] = f"{kind} {count[kind]}"
        return found


def walk(sections: Iterable[Section], depth: int = 0) -> Iterator[tuple[int, Section]]:
    """Every section with its depth, in reading order."""
    for section in sections:
        yield depth, section
        yield from walk(section.subsections, depth + 1)


def slug(text: str) -> str:
    """A name fit for an anchor or a file: lower case, digits and dashes; N₀ and N₁ stay apart."""
    plain = unicodedata.normalize("NFKD", text).replace("τ", "tau").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "x"


Marked = Literal[
    "plain", "code", "strong", "emphasis", "reference", "link", "cite", "fact", "superscript"
]
Piece = tuple[Marked, str, str]
"""A kind, a text, and what belongs to it: a link's address, what is known about a fact, what is
raised."""
_MARKED = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[\[([a-z0-9-]+)\]\]")


class Rich(str):
    """A text of ours whose marked pieces are known; only such a text has links, citations and
    facts."""

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> Rich:
        found = tuple(pieces)
        text = cls("".join(text for _, text, _ in found))
        text.pieces = found
        return text


def split_inline(text: str, labels: Mapping[str, str]) -> list[Piece]:
    """The pieces of a text; a [[name]] that no figure or table has is text like any other."""
    if isinstance(text, Rich):
        return list(text.pieces)
    pieces: list[Piece] = []
    end = 0
    for found in _MARKED.finditer(text):
        code, strong, name = found.groups()
        if name is not None and name not in labels:
            continue
        pieces.append(("plain", text[end : found.start()], ""))
        pieces.append(
            ("code", code, "")
            if code
            else ("strong", strong, "")
            if strong
            else ("reference", name, "")
        )
        end = found.end()
    return [piece for piece in [*pieces, ("plain", text[end:], "")] if piece[1]]


def message(caption: str) -> tuple[str, str]:
    """A caption's first sentence, which says what there is to see, and the rest.

    A sentence ends at a point before a space and a capital letter, so that `B.O. lowers` goes on.
    """
    if isinstance(caption, Rich):  # written, not made: it is set as it is
        return "", caption
    first, _, rest = re.sub(r"([.!?])\s+(?=[A-Z`])", "\\1\n", caption, count=1).partition("\n")
    return first, rest
