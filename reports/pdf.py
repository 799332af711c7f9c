"""A document as a typeset PDF: typst carries its own compiler and fonts, so no browser, no TeX."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import typst

from bench.core.guards.output import temporary_folder
from bench.core.guards.text import printable
from reports.document import (
    Block,
    Column,
    Document,
    Formula,
    Items,
    Marked,
    Missing,
    Paragraph,
    Picture,
    Section,
    Table,
    message,
    slug,
    split_inline,
    walk,
)
from reports.formatting import show
from reports.placement import place_figures
from reports.style import FONTS, RANKS, tint
from reports.svg import drawing

_PREAMBLE = """
#set page(paper: "a4", margin: (x: 17mm, top: 16mm, bottom: 18mm), footer: context text(
  size: 8pt, fill: luma(110),
)[#footer-text #h(1fr) #counter(page).display()])
#set text(font: "Libertinus Serif", size: body-size, lang: "en")
#set par(justify: true, leading: 0.58em)
#set heading(numbering: "1.1")
#show heading: set block(above: 1.3em, below: 0.6em)
#show heading.where(level: 1): set text(size: 1.1em)
#show raw: set text(size: 0.9em)
#set super(typographic: false)
#set figure(placement: none, supplement: none, numbering: none, gap: 0.5em)
#show figure.where(kind: image): set figure(placement: auto)
#set place(clearance: 1.2em)
#show figure.where(kind: table): set figure.caption(position: top)
#show figure.where(kind: table): set block(breakable: true)
#show figure.caption: set text(size: 0.92em)
#show figure.caption: set align(left)
#show figure.caption: it => if it.kind == table { block(sticky: true, it.body) } else { it.body }
#set table(stroke: (_, row) => if row > 1 { (top: 0.3pt + luma(205)) })
#show table: set par(justify: false, leading: 0.45em)
#show table: set text(number-width: "tabular")
#let whole(body) = [#show figure: set block(breakable: false); #body]
#let gap(what, command) = block(
  fill: rgb("#fff7ec"), stroke: (left: 2pt + rgb("#c77700")), inset: 6pt, width: 100%,
)[*Missing:* #what Make it with #raw(command).]
"""
# By name of a figure or table: page and height of the end of what stands before it, and its page.
_PLACES = """
#context [#metadata(query(<before>).map(mark => {
  let end = mark.location().position()
  (mark.value, (end.page, end.y.pt(), locate(label(mark.value)).page()))
}).to-dict()) <places>]
"""
PAGE_END = 791.0  # points from the top of a page to the end of its text
CHARACTERS = 118  # that fit on a line of a table at full size
FIGURE_HEIGHT = "200mm"
WIDTHS = {"article": "100%", "report": "74%"}  # of figures: a report has many
TALLEST = 1.13  # in widths; higher figures have to fit into the page's height
FILLS = dict(zip(RANKS, ("#bfe3c7", "#dff1d8", "#f4f8e4"), strict=True))
ROW_INSET = "3.2pt"  # above and below the text of a row
SMALLEST = 0.62  # of the text's size: smaller would not be read
MOST_MARKED_ROWS = 40
_UNIT = re.compile(r"(?<=\d) (?=(?:%|ns|µs|ms|s|min|h|MB|kB)\b|%)")
_VIEW = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
NO_BREAK = "\u00a0"
LONG_CODE = 60
LONG_WORD = 30  # characters of code that may break at its hyphens
ALIGNED = {"text": "left", "error": "left", "exact": "left"}  # errors: one digit before the point
WHOLE_ROWS = {"article": 4, "report": 8}  # a table of no more stays on one page
NARROWEST = 9  # characters of a head before it breaks
LONG_TEXT = 22  # characters: a column of longer texts shares the width that is left


def render_pdf(document: Document, drawings: dict[str, bytes] | None = None) -> bytes:
    """The PDF of the document, figures as vectors, headings as bookmarks; figures that `drawings`
    has by name are not drawn again, and the others are added to it."""
    drawings = {} if drawings is None else drawings
    with temporary_folder() as root:
        for picture in document.pictures():
            if picture.name not in drawings:
                drawings[picture.name] = drawing(picture)
            svg = document.shown(drawings[picture.name].decode())
            (root / f"{slug(picture.name)}.svg").write_text(svg, encoding="utf-8")
        source = root / "report.typ"
        heights = {name: _height(svg) for name, svg in drawings.items()}

        def gaps(moved: Document) -> dict[str, float]:
            source.write_text(typst_source(moved, heights) + _PLACES, encoding="utf-8")
            places = typst.query(
                str(source), "<places>", field="value", one=True,
                root=str(root), font_paths=[str(FONTS)],
            )  # fmt: skip
            return _gaps(json.loads(places))

        if document.authors:
            document = place_figures(document, gaps)
        source.write_text(document.shown(typst_source(document, heights)), encoding="utf-8")
        return bytes(typst.compile(str(source), root=str(root), font_paths=[str(FONTS)]))


def _gaps(places: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """By name the height that a figure or table leaves empty at the end of the page before it."""
    return {
        name: (page - before) * (PAGE_END - end) for name, (before, end, page) in places.items()
    }


def _height(svg: bytes) -> float:
    """Of a drawing, in widths."""
    found = _VIEW.search(svg)
    return float(found[2]) / float(found[1]) if found else 0.0


def typst_source(document: Document, heights: Mapping[str, float] | None = None) -> str:
    """The document for the compiler; `heights` of figures, in widths, by name: one that would be
    higher than its page is set smaller. An article, which has authors, has an abstract; a report
    has a list of contents."""
    article = bool(document.authors)
    width = WIDTHS["article" if article else "report"]
    setting = _Setting(document.labels(), heights or {}, width, floats=not article)
    title = f"text(size: 1.75em, weight: 700, hyphenate: false, {_string(document.title)})"
    subtitle = f"text(fill: luma(90))[{setting.inline(document.subtitle)}]"
    below = document.authors if article else _facts(document)
    foot = _facts(document)[:150]  # one line
    parts = [
        f"#let footer-text = [#text({_string(foot)})]",
        f"#let body-size = {'10.8pt' if article else '8.6pt'}",
        _PREAMBLE,
        f"#set document(title: {_string(document.title)}, date: none)",  # the same bytes again
        f"#stack(spacing: 0.75em, {title}, {subtitle}, text({_string(below)}))",
        *(f"#pad(x: 2em)[{setting.inline(text)}]" for text in document.abstract),
        *([] if article else [_contents(document)]),
        *setting.sections(document.sections),
    ]
    if document.references:
        parts.append("#heading(level: 1, numbering: none)[References]")
        entries = "\n".join(f"+ {setting.inline(entry)}" for entry in document.references)
        parts.append(f"#set par(justify: false)\n#text(size: 0.88em)[\n{entries}\n]")
    return "\n\n".join(parts)


def _contents(document: Document) -> str:
    """The list of sections in two columns of one height."""
    lines = -(-(len(document.sections) + bool(document.references)) // 2)
    return (
        f"#block(height: {1.5 * lines:.1f}em, above: 1.4em, "
        "columns(2, outline(title: none, depth: 1)))"
    )


def _facts(document: Document) -> str:
    return " · ".join(f"{name} {value}" for name, value in document.facts)


@dataclass(frozen=True)
class _Setting:
    """How blocks are set: what figures and tables are called, how high the figures are."""

    labels: Mapping[str, str]
    heights: Mapping[str, float]  # of figures, in their widths
    width: str  # of figures, in that of the text
    floats: bool = True  # whether figures may stand elsewhere on their page

    def sections(self, sections: Sequence[Section]) -> list[str]:
        """Sections with their headings."""
        parts = []
        for depth, section in walk(sections):
            label = f"<section-{section.anchor}>"
            parts.append(f"#heading(level: {depth + 1}, {_string(section.title)}) {label}")
            parts.extend(self.block(block) for block in section.blocks)
        return parts

    def inline(self, text: str) -> str:
        return "".join(self._piece(*piece) for piece in split_inline(text, self.labels))

    def _piece(self, kind: Marked, piece: str, more: str) -> str:
        match kind:
            case "code":
                return _code(piece)
            case "superscript":
                return f"#super({_string(more)})"
            case "strong":
                return f"#strong(text({_string(piece)}))"
            case "emphasis":
                return f"#emph(text({_string(piece)}))"
            case "link":
                return f"#link({_string(more)}, {_string(piece)})"
            case "reference":
                return f"#link(<{piece}>, {_string(self.labels[piece])})"
            case _:
                return f"#text({_string(_UNIT.sub(NO_BREAK, piece))})"

    def block(self, block: Block) -> str:
        match block:
            case Paragraph(text):
                code = [piece for kind, piece, _ in split_inline(text, {}) if kind == "code"]
                ragged = max(map(len, code), default=0) > LONG_CODE  # or its words are torn apart
                said = self.inline(text)
                return f"#par(justify: false)[{said}]" if ragged else said
            case Items(texts):
                return "\n".join(f"- {self.inline(text)}" for text in texts)
            case Formula(typst=formula):
                return f"$ {formula} $"
            case Missing(what, command):
                return f"#gap([{self.inline(what)}], {_string(command)})"
            case Picture():
                file = _string(f"{slug(block.name)}.svg")
                is_tall = self.heights.get(block.name, 0.0) > TALLEST
                size = f"height: {FIGURE_HEIGHT}" if is_tall else f"width: {self.width}"
                image = f"image({file}, {size}, alt: {_string(block.caption)})"
                return self._figure(image, block)
            case Table():
                printed = replace(block, rows=block.rows[: block.printed])
                return self._figure(self.table(printed), printed)

    def _figure(self, body: str, block: Picture | Table) -> str:
        first, rest = message(block.caption)
        name = slug(block.name)
        strong = f"#strong[{self.inline(first)}] " if first else ""
        label = f"#strong(text({_string(self.labels[name] + '. ')}))"
        kind = "image" if isinstance(block, Picture) else "table"
        caption = f"{label}{strong}{self.inline(rest)}"
        floats = isinstance(block, Picture) and block.floats and self.floats
        here = "" if floats or isinstance(block, Table) else "placement: none, "
        before = "" if self.floats else f"#place[#metadata({_string(name)}) <before>]\n\n"
        made = f"#figure({body}, kind: {kind}, {here}caption: [{caption}]) <{name}>"
        most = WHOLE_ROWS["report" if self.floats else "article"]
        short = isinstance(block, Table) and len(block.rows) <= most
        return before + (f"#whole[{made}]" if short else made)

    def table(self, table: Table) -> str:
        """As large as the page allows; columns of long texts share what the others leave. A cell
        that screen readers can find costs 180 bytes, so the longest tables are without: they find
        them on the page."""
        size = table_size(table)
        widths = column_characters(table)
        fits = 0.92 * (sum(widths) + 1.6 * len(widths)) <= CHARACTERS
        columns = ", ".join(_track(c, w, fits) for c, w in zip(table.columns, widths, strict=True))
        align = ", ".join(ALIGNED.get(column.kind, "right") for column in table.columns)
        head = ", ".join(
            f"[*{self._head(column.title, width)}*]"
            for column, width in zip(table.columns, widths, strict=True)
        )
        cells = "".join(
            self._cell(show(value, column.kind), table.tints.get((at, k)), table.notes.get((at, k)))
            + ", "
            for at, row in enumerate(table.rows)
            for k, (value, column) in enumerate(zip(row, table.columns, strict=True))
        )
        wrap = "pdf.artifact" if len(table.rows) > MOST_MARKED_ROWS else ""
        return (
            f"text(size: {size:.2f}em, {wrap}(table(columns: ({columns},), align: ({align},), "
            f"inset: (x: 4pt, y: {ROW_INSET}), "
            f"table.header(table.hline(), {head}, table.hline(stroke: 0.5pt)), {cells}"
            "table.hline())))"
        )

    def _head(self, title: str, width: int) -> str:
        """A head is no wider than its column: else the columns of texts would pay for it."""
        lines = textwrap.wrap(title, max(width, NARROWEST), break_long_words=False) or [title]
        return "#linebreak()".join(self.inline(line) for line in lines)

    def _cell(self, text: str, name: str | None, note: str | None) -> str:
        """A cell in the colour of a family or verdict, or on the shade of a rank."""
        if note:
            small = f"#text(size: 0.8em, fill: luma(90), {_string(f'  {note}')})"
            fill = f'table.cell(fill: rgb("{FILLS[name]}"))' if name in FILLS else ""
            return f"{fill}[{self.inline(text)}{small}]"
        if name is None or not text:
            return f"[{self.inline(text)}]"
        return f'[#text(fill: rgb("{tint(name)}"), weight: 500)[{self.inline(text)}]]'


def _code(text: str) -> str:
    """Code that breaks between words; at hyphens in long words only."""
    words = []
    for word in text.split(" "):
        made = f"raw({_string(word)})"
        words.append(f"#box({made})" if "-" in word and len(word) < LONG_WORD else f"#{made}")
    return '#raw(" ")'.join(words)


def _track(column: Column, characters: int, fits: bool) -> str:
    """The width of a column: long texts share what is left, unless the whole table fits without."""
    long = column.kind == "text" and characters > LONG_TEXT and not fits
    return f"{math.sqrt(characters):.1f}fr" if long else "auto"


def column_characters(table: Table) -> list[int]:
    """The longest text of each column; that of long texts is the longest word at least."""
    return [
        max(
            _head(column.title),
            *(
                len(show(row[k], column.kind)) + len(table.notes.get((at, k), ""))
                for at, row in enumerate(table.rows)
            ),
            1,
        )
        for k, column in enumerate(table.columns)
    ]


def _head(title: str) -> int:
    """Heads may break between words."""
    return max((round(1.15 * len(word)) for word in title.split()), default=1)


def narrowest(table: Table) -> float:
    """The fewest characters per line that the table can do with: long texts wrap."""
    widths = column_characters(table)
    return sum(
        (LONG_TEXT if column.kind == "text" and width > LONG_TEXT else width) + 1.6
        for column, width in zip(table.columns, widths, strict=True)
    )


def table_size(table: Table) -> float:
    """The size of its text relative to the page's, at most 0.92, never below what can be read."""
    return min(0.92, max(SMALLEST, 0.92 * CHARACTERS / narrowest(table)))


def _string(text: str) -> str:
    """A typst string literal: the one way text from outside enters the source. JSON's escapes for
    control characters mean nothing to typst: they are shown by number."""
    return json.dumps(printable(text, keep="\n\t"), ensure_ascii=False)
