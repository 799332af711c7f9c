"""A document as one self-contained HTML page: no network, and readable without scripts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
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
from reports.glossary import explained
from reports.interactive.cells import short
from reports.interactive.numbers import DIGITS
from reports.style import drawn, saved
from reports.svg import Inline, inline_svg, prefix_ids

TEMPLATES = Path(__file__).parent / "templates"
FRAME_DPI = 110
AUTHORS = "{The femnets developers}"
SCRIPTS = ("page.js", "tables.js", "runs.js", "figures.js", "finder.js")


def render_html(document: Document, drawings: dict[str, bytes] | None = None) -> str:
    """The page; its figures as drawn are added to `drawings`, by name."""
    labels = document.labels()
    page = (
        _environment()
        .get_template("page.html")
        .render(
            document=document,
            labels=labels,
            inline=partial(_inline, labels=labels),
            caption=partial(_caption, labels=labels),
            picture=partial(_picture, drawings={} if drawings is None else drawings),
            frames=_frames,
            citation=_citation(document),
            formula=partial(_formula, number=count(1)),
            style=Markup(_file("page.css")),
            script=Markup("\n".join(map(_file, SCRIPTS))),
        )
    )
    return document.shown(page)


def _citation(document: Document) -> str:
    """An entry for BibTeX, from the title and the facts under it."""
    about = dict(document.facts)
    version, day = about.get("femnets", ""), about.get("computed", "")
    note = f"version {version}" + (f", run {about['run']}" if "run" in about else "")
    return (
        f"@misc{{femnets,\n  title = {{{document.title}}},\n  author = {{{AUTHORS}}},\n"
        f"  year = {{{day[:4]}}},\n  note = {{femnets, {note}}}\n}}"
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


_TAGS = {
    "plain": "{0}",
    "code": "<code>{0}</code>",
    "strong": "<strong>{0}</strong>",
    "emphasis": "<em>{0}</em>",
    "link": '<a href="{1}">{0}</a>',
    "cite": '<a class="reference" href="#reference-{1}">{0}</a>',
    "superscript": "<sup>{1}</sup>",
    "fact": '<span class="fact" title="{1}">{0}</span>',
}


def _inline(text: str, labels: Mapping[str, str]) -> Markup:
    """The marked pieces of a text, everything escaped; words of the glossary say what they mean."""
    pieces = []
    for kind, piece, more in split_inline(text, labels):
        if kind == "reference":
            label = labels[piece]
            place = f"{label.split()[0].lower()}-{piece}"
            pieces.append(Markup('<a class="reference" href="#{}">{}</a>').format(place, label))
        elif kind == "plain":
            pieces.append(explained(piece))
        else:
            pieces.append(Markup(_TAGS[kind]).format(piece, more))
    return Markup("").join(pieces)


def _caption(block: Picture | Table, labels: Mapping[str, str]) -> Markup:
    """`Figure 1.`, a link to itself, and the caption, its message in strong letters."""
    first, rest = message(block.caption)
    label = labels[slug(block.name)]
    place = f"{label.split()[0].lower()}-{slug(block.name)}"
    shown = Markup('<a class="label" href="#{}">{}.</a> ').format(place, label)
    strong = Markup("<strong>{}</strong> ").format(_inline(first, labels)) if first else ""
    return shown + strong + _inline(rest, labels)


def _picture(block: Picture, drawings: dict[str, bytes]) -> Inline:
    """The figure for the page; as drawn for the PDF it is added to `drawings`."""
    inline, drawings[block.name] = inline_svg(block)
    return inline


def _frames(block: Picture) -> list[str]:
    """The same figure at earlier moments, as addresses of images."""
    found = []
    for draw in block.along:
        with drawn(replace(block, draw=draw), text_as_text=False) as figure:
            png = saved(figure, "png", dpi=FRAME_DPI)
        found.append("data:image/png;base64," + b64encode(png).decode())
    return found


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


def _cell(table: Table, row: int, column: int, value: Value, inline: Any) -> Markup:
    """One <td>; `data-value` has what scripts sort by and write to CSV, with more digits, where
    the text has few."""
    kind, text = table.columns[column].kind, show(value, table.columns[column].kind)
    said = table.tints.get((row, column))
    classes = [*(["text"] if kind == "text" else []), *(["tint", slug(said)] if said else [])]
    named = Markup(' class="{}"').format(" ".join(classes)) if classes else Markup("")
    full = _sort_key(value)
    exact = Markup(' data-value="{}"').format(full) if full != text else Markup("")
    note = table.notes.get((row, column))
    small = Markup(" <small>{}</small>").format(note) if note else Markup("")
    return Markup("<td{}{}>{}{}</td>").format(named, exact, inline(text), small)


def _sort_key(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(f"{value:.{DIGITS + 1}g}"))  # the run's own files have all of them
    return "" if value is None else str(value)
