"""What a report says, free of how it looks: one definition for the HTML page and for the PDF.

A section is a list of blocks; `reports.html` and `reports.pdf` each know how to set every block.
Text is plain: it is escaped in both media, and only `code between backticks` is marked up, so
nothing that comes from outside (a run's name, a config, an error message) can be more than text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reports.formatting import Kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Source:
    """How to make a number again: the cells it was computed from and the command that runs them."""

    command: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paragraph:
    text: str


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
class Table:
    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    source: Source | None = None


@dataclass(frozen=True)
class Picture:
    """A figure, drawn when it is needed: once as SVG for the page, once for the PDF."""

    name: str
    caption: str
    draw: Callable[[], Figure]
    alt: str
    source: Source | None = None


@dataclass(frozen=True)
class Missing:
    """An honest gap: what is not there, and the command that makes it."""

    what: str
    command: str


Block = Paragraph | Formula | Table | Picture | Missing


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
    title: str
    subtitle: str
    sections: Sequence[Section]
    facts: Sequence[tuple[str, str]] = field(default_factory=tuple)

    def walk(self) -> Iterator[tuple[int, Section]]:
        """Every section with its depth, in reading order."""
        yield from _walk(self.sections, depth=0)

    def pictures(self) -> list[Picture]:
        return [b for _, s in self.walk() for b in s.blocks if isinstance(b, Picture)]


def _walk(sections: Iterable[Section], depth: int) -> Iterator[tuple[int, Section]]:
    for section in sections:
        yield depth, section
        yield from _walk(section.subsections, depth + 1)


def slug(text: str) -> str:
    """A name fit for an anchor or a file: lower case, digits and dashes; N₀ and N₁ stay apart."""
    plain = unicodedata.normalize("NFKD", text).replace("τ", "tau").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "x"


def split_code(text: str) -> list[tuple[bool, str]]:
    """[(is code, piece), …] for text with `code` between backticks."""
    pieces = re.split(r"`([^`\n]+)`", text)
    return [(index % 2 == 1, piece) for index, piece in enumerate(pieces) if piece]
