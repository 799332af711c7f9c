"""A document as one self-contained HTML page: no network, and readable without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from reports.document import Document, Formula, Picture, Table, message, slug, split_inline, walk
from reports.formatting import show
from reports.formulas import formula_svg
from reports.svg import inline_svg

TEMPLATES = Path(__file__).parent / "templates"


def render_html(document: Document) -> str:
    labels = document.labels()
    return (
        _environment()
        .get_template("page.html")
        .render(
            document=document,
            labels=labels,
            parts=[("article", document.sections), ("supplement", document.supplement)],
            inline=partial(_inline, labels=labels),
            caption=partial(_caption, labels=labels),
            style=Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
            script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(slug=slug, kind=_kind)
    environment.globals.update(
        show=show, picture=_picture, formula=_formula, sort_key=_sort_key, tint=_tint, walk=walk
    )
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


def _picture(block: Picture) -> Markup:
    return Markup(inline_svg(block))


def _formula(block: Formula) -> Markup:
    return Markup('<div class="formula" role="img" aria-label="{}">{}</div>').format(
        block.alt, Markup(formula_svg(block.typst))
    )


def _tint(table: Table, row: int, column: int) -> str:
    said = table.tints.get((row, column))
    return f" tint {slug(said)}" if said else ""


def _sort_key(table: Table, value: Any) -> str:
    """What scripts sort by and write to CSV: full precision, not the rounded text."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
