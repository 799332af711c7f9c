"""A document as one self-contained HTML page: no network, and readable without scripts."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

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
from reports.formulas import formula_svg
from reports.interactive.behind import Behind
from reports.interactive.dark import dark_rules
from reports.interactive.explored import Explored
from reports.interactive.numbers import DIGITS
from reports.interactive.sheet import as_css, short_ids, styled_by_class
from reports.svg import Drawing, inline_svg

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = ("page.js", "tables.js", "runs.js", "figures.js", "finder.js", "claims.js")


def render_html(document: Document, drawings: dict[str, Drawing] | None = None) -> str:
    """The page; its figures as drawn are added to `drawings`, by name."""
    labels = document.labels()
    explored = document.explored
    page = (
        _environment()
        .get_template("page.html")
        .render(
            document=document,
            explored=explored,
            labels=labels,
            parts=[("article", document.sections), ("supplement", document.supplement)],
            inline=partial(_inline, labels=labels),
            caption=partial(_caption, labels=labels),
            picture=partial(
                _picture, explored=explored, drawings={} if drawings is None else drawings
            ),
            ranges=explored.cells.ranges if explored else _no_cells,
            switch=partial(_switch, explored=explored),
            formula=partial(_formula, letters=set()),
            style=Markup(_file("page.css")),
            script=Markup("\n".join(map(_file, SCRIPTS))),
        )
    )
    page, classes = styled_by_class(short_ids(page))
    page = page.replace("/* figures */", as_css(classes), 1)
    return page.replace("/* dark figures */", dark_rules(classes), 1)


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
    environment.filters.update(slug=slug, kind=_kind)
    environment.globals.update(cell=_cell, packed=_packed, walk=walk)
    return environment


def _kind(block: object) -> str:
    return type(block).__name__


def _no_cells(keys: Iterable[str]) -> str:
    return ""


def _packed(value: object) -> str:
    """JSON that `page.js` unpacks: its letters are no markup, and it has a third of the weight."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(), 9)).decode()


_LETTER = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
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


def _picture(
    block: Picture, explored: Explored | None, drawings: dict[str, Drawing]
) -> dict[str, Markup]:
    cells = block.source.cells if block.source else ()
    behind = Behind(explored.cells, tuple(cells)) if explored else None
    found, drawings[block.name] = inline_svg(block, behind)
    return {"svg": Markup(found.svg), "numbers": Markup(_packed(found.numbers))}


def _switch(
    block: Picture, explored: Explored | None
) -> tuple[str, str, Sequence[tuple[str, Picture]]]:
    """The group of figures of which readers choose one by its problem, the problem of this one,
    and those that stand here for the other problems; an empty name where there is no choice."""
    if explored is None:
        return "", "", ()
    if block.name in explored.switches:
        found = explored.switches[block.name]
        return slug(block.name), found.shown, found.others
    for problem in explored.problems:
        stem, end, rest = block.name.rpartition(f"-{problem}")
        if end and not rest:
            return slug(stem), problem, ()
    return "", "", ()


def _formula(block: Formula, letters: set[str]) -> Markup:
    """Letters are named by what they look like: the first formula that has one draws it for all."""
    drawn = _LETTER.sub(partial(_unless_drawn, letters=letters), formula_svg(block.typst))
    return Markup('<div class="formula" role="img" aria-label="{}">{}</div>').format(
        block.alt, Markup(drawn)
    )


def _unless_drawn(letter: re.Match[str], letters: set[str]) -> str:
    if letter[1] in letters:
        return ""
    letters.add(letter[1])
    return letter[0]


def _cell(table: Table, row: int, column: int, value: Value, inline: Any, card: bool) -> Markup:
    """One <td>; `data-value` has what scripts sort by and write to CSV, with more digits, where
    the text has few. On a `card` the column's title stands beside the value."""
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
