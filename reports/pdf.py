"""A document as a typeset PDF: typst carries its own compiler and fonts, so no browser, no TeX."""

from __future__ import annotations

import json

import typst

from bench.guards.output import temporary_folder
from bench.guards.text import printable
from reports.document import (
    Block,
    Document,
    Formula,
    Missing,
    Paragraph,
    Picture,
    Source,
    Table,
    slug,
    split_code,
)
from reports.formatting import show
from reports.svg import outlined_svg

_PREAMBLE = """
#set page(paper: "a4", margin: (x: 22mm, y: 24mm), numbering: "1")
#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en")
#set par(justify: true)
#set heading(numbering: "1.1")
#show heading: set block(above: 1.4em, below: 0.7em)
#show raw: set text(size: 0.92em)
#show figure.where(kind: table): set figure.caption(position: top)
#show figure.where(kind: table): set block(breakable: true)
#show figure.caption: set text(size: 0.9em)
#set table(stroke: none, inset: (x: 5pt, y: 3pt))
#show table: set par(justify: false)
#let again(command) = text(size: 0.78em, fill: luma(90))[Make it again: #raw(command)]
#let gap(what, command) = block(
  fill: rgb("#fff7ec"), stroke: (left: 2pt + rgb("#c77700")), inset: 6pt, width: 100%,
)[*Missing:* #what Make it with #raw(command).]
"""


def render_pdf(document: Document) -> bytes:
    """The PDF of the document, figures as vectors, headings as bookmarks."""
    with temporary_folder() as root:
        for picture in document.pictures():
            (root / f"{slug(picture.name)}.svg").write_bytes(outlined_svg(picture))
        source = root / "report.typ"
        source.write_text(typst_source(document), encoding="utf-8")
        return bytes(typst.compile(str(source), root=str(root)))


def typst_source(document: Document) -> str:
    parts = [
        _PREAMBLE,
        f"#set document(title: {_string(document.title)})",
        f"#align(center)[#text(size: 1.7em, weight: 700, {_string(document.title)}) \\ "
        f"#text(fill: luma(80))[{_inline(document.subtitle)}]]",
        "#align(center, text(size: 0.85em)["
        + " #h(1em) ".join(f"{_inline(name)}: *{_inline(value)}*" for name, value in document.facts)
        + "])",
        "#outline(depth: 2)",
    ]
    for depth, section in document.walk():
        parts.append(f"#heading(level: {depth + 1}, {_string(section.title)})")
        parts.extend(_block(block) for block in section.blocks)
    return "\n\n".join(parts)


def _string(text: str) -> str:
    """A typst string literal: the one way text from outside enters the source."""
    return json.dumps(_printable(text), ensure_ascii=False)


def _printable(text: str) -> str:
    """JSON's \\u escapes for control characters mean nothing to typst: they are shown by number."""
    return printable(text, keep="\n\t")


def _inline(text: str) -> str:
    return "".join(
        f"#raw({_string(piece)})" if is_code else f"#text({_string(piece)})"
        for is_code, piece in split_code(text)
    )


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return _inline(text)
        case Formula(typst=formula):
            return f"$ {formula} $"
        case Missing(what, command):
            return f"#gap([{_inline(what)}], {_string(command)})"
        case Picture():
            file = _string(f"{slug(block.name)}.svg")
            image = f"image({file}, width: 100%, alt: {_string(block.alt)})"
            return f"#figure({image}, caption: [{_inline(block.caption)}])\n{_again(block.source)}"
        case Table():
            return (
                f"#figure({_table(block)}, caption: [{_inline(block.caption)}])\n"
                f"{_again(block.source)}"
            )


def _again(source: Source | None) -> str:
    return f"#again({_string(source.command)})" if source else ""


def _table(table: Table) -> str:
    """Wide tables shrink: nine columns and more would otherwise leave the page."""
    size = 0.85 if len(table.columns) <= 8 else 0.66
    align = ", ".join("left" if column.kind == "text" else "right" for column in table.columns)
    head = ", ".join(f"[*{_inline(column.title)}*]" for column in table.columns)
    cells = "".join(
        f"[{_inline(show(value, column.kind))}], "
        for row in table.rows
        for value, column in zip(row, table.columns, strict=True)
    )
    return (
        f"text(size: {size}em, table(columns: {len(table.columns)}, align: ({align},), "
        f"table.header(table.hline(), {head}, table.hline(stroke: 0.5pt)), {cells}table.hline()))"
    )
