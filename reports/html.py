"""A document as one self-contained HTML page: no network, and readable without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import jinja2
import typst
from markupsafe import Markup

from bench.core.guards.output import temporary_folder
from reports.document import (
    Document,
    Formula,
    Picture,
    Table,
    Value,
    message,
    slug,
    split_inline,
    walk,
)
from reports.formatting import show
from reports.interactive.cells import short
from reports.interactive.numbers import DIGITS
from reports.svg import Drawing, Inline, inline_svg, prefix_ids

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = ("page.js", "tables.js", "runs.js", "figures.js", "finder.js", "claims.js")


def render_html(document: Document, drawings: dict[str, Drawing] | None = None) -> str:
    """The page; its figures as drawn are added to `drawings`, by name."""
    labels = document.labels()
    return (
        _environment()
        .get_template("page.html")
        .render(
            document=document,
            explored=document.explored,
            labels=labels,
            inline=partial(_inline, labels=labels),
            caption=partial(_caption, labels=labels),
            picture=partial(_picture, drawings={} if drawings is None else drawings),
            formula=partial(_formula, number=count(1)),
            style=Markup(_file("page.css")),
            script=Markup("\n".join(map(_file, SCRIPTS))),
        )
    )


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(slug=slug, short=short, kind=_kind)
    environment.globals.update(cell=_cell, walk=walk)
    return environment


def _kind(block: object) -> str:
    return type(block).__name__


_TAGS = {"plain": "{}", "code": "<code>{}</code>", "strong": "<strong>{}</strong>"}


def _inline(text: str, labels: Mapping[str, str]) -> Markup:
    """Plain text with `code`, **strong words** and [[references]], everything escaped."""
    pieces = []
    for kind, piece in split_inline(text, labels):
        if kind == "reference":
            label = labels[piece]
            place = f"{label.split()[0].lower()}-{piece}"
            pieces.append(Markup('<a class="reference" href="#{}">{}</a>').format(place, label))
        else:
            pieces.append(Markup(_TAGS[kind]).format(piece))
    return Markup("").join(pieces)


def _caption(block: Picture | Table, labels: Mapping[str, str]) -> Markup:
    """`Figure 1.` and the caption, its message in strong letters."""
    first, rest = message(block.caption)
    label = Markup('<span class="label">{}.</span> ').format(labels[slug(block.name)])
    return label + Markup("<strong>{}</strong> {}").format(
        _inline(first, labels), _inline(rest, labels)
    )


def _picture(block: Picture, drawings: dict[str, Drawing]) -> Inline:
    """The figure for the page; as drawn for the PDF it is added to `drawings`."""
    inline, drawings[block.name] = inline_svg(block)
    return inline


def _formula(block: Formula, number: count[int]) -> Markup:
    svg = Markup(prefix_ids(_formula_svg(block.typst), f"formula-{next(number)}"))
    shown = Markup('<div class="formula" role="img" aria-label="{}">{}</div>')
    return shown.format(block.alt, svg)


@cache
def _formula_svg(formula: str) -> str:
    """A displayed formula as one <svg> element, set by the compiler that also sets the PDF."""
    source = (
        "#set page(width: auto, height: auto, margin: 2pt, fill: none)\n"
        f'#set text(font: "Libertinus Serif", size: 12pt)\n$ {formula} $'
    )
    with temporary_folder() as folder:
        path = folder / "formula.typ"
        path.write_text(source, encoding="utf-8")
        svg = typst.compile(str(path), format="svg")
    text = svg.decode() if isinstance(svg, bytes) else str(svg)
    return text[text.index("<svg") :]


def _cell(table: Table, row: int, column: int, value: Value, inline: Any, card: bool) -> Markup:
    """One <td>; `data-value` has what scripts sort by and write to CSV, with more digits, where
    the text has few. On a `card` the column's title stands next to the value."""
    kind, text = table.columns[column].kind, show(value, table.columns[column].kind)
    said = table.tints.get((row, column))
    classes = [*(["text"] if kind == "text" else []), *(["tint", slug(said)] if said else [])]
    named = Markup(' class="{}"').format(" ".join(classes)) if classes else Markup("")
    full = _sort_key(value)
    exact = Markup(' data-value="{}"').format(full) if full != text else Markup("")
    title = table.columns[column].title
    beside = Markup(' data-title="{}"').format(title) if card else Markup("")
    return Markup("<td{}{}{}>{}</td>").format(named, beside, exact, inline(text))


def _sort_key(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(f"{value:.{DIGITS + 1}g}"))  # the run's own files have all of them
    return "" if value is None else str(value)
