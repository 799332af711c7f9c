"""A document as one self-contained HTML page: no network, and readable without scripts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from reports.document import Document, Formula, Picture, Table, slug, split_code
from reports.formatting import show
from reports.formulas import formula_svg
from reports.svg import inline_svg

TEMPLATES = Path(__file__).parent / "templates"


def render_html(document: Document) -> str:
    return (
        _environment()
        .get_template("page.html")
        .render(
            document=document,
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
    environment.filters.update(inline=_inline, slug=slug, kind=_kind)
    environment.globals.update(show=show, picture=_picture, formula=_formula, sort_key=_sort_key)
    return environment


def _kind(block: object) -> str:
    return type(block).__name__


def _inline(text: str) -> Markup:
    """Plain text with `code` between backticks, everything escaped."""
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if is_code else escape(piece)
        for is_code, piece in split_code(text)
    )


def _picture(block: Picture) -> Markup:
    return Markup(inline_svg(block))


def _formula(block: Formula) -> Markup:
    return Markup('<div class="formula" role="img" aria-label="{}">{}</div>').format(
        block.alt, Markup(formula_svg(block.typst))
    )


def _sort_key(table: Table, value: Any) -> str:
    """What scripts sort by and write to CSV: full precision, not the rounded text."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)
