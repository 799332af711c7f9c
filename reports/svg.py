"""A matplotlib figure as inline SVG: ids of its own, marks with titles."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.document import Picture, slug
from reports.formatting import number
from reports.interactive.cells import short
from reports.interactive.numbers import Series, as_json, label, series
from reports.style import drawn, saved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A training curve has thousands of points: tooltips for all of them would outweigh the figure.
MOST_MARKS = 20  # of one series


@dataclass(frozen=True)
class Inline:
    """A figure for the page: one <svg> element, and the numbers that it draws."""

    svg: str
    numbers: dict[str, Any]


def drawing(picture: Picture) -> bytes:
    """A picture as SVG for the PDF, its text still text."""
    with drawn(picture, text_as_text=True) as figure:
        return _saved(figure)


def inline_svg(picture: Picture) -> tuple[Inline, bytes]:
    """A picture for the page, and for the PDF, so that it need not be drawn again."""
    with drawn(picture, text_as_text=True) as figure:
        made = _saved(figure)
        svg = _for_page(made, picture.name, picture.caption, _marks(figure))
        return Inline(svg, as_json(figure)), made


def _saved(figure: Figure) -> bytes:
    return saved(figure, "svg", transparent=True, metadata={"Date": None, "Creator": None})


def _for_page(saved_svg: bytes, name: str, alt: str, marks: str) -> str:
    text = saved_svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = prefix_ids(text, slug(name))
    words = html.escape(alt, quote=True)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{words}" ', 1)
    return text.replace("</svg>", marks + "</svg>")


def prefix_ids(text: str, prefix: str) -> str:
    """Several figures share one page, and matplotlib numbers the parts of each from one."""
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    return re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{prefix}-\1"', text)


def _marks(figure: Figure) -> str:
    """A transparent circle with a title over every data point: tooltips without any script."""
    curves = [each for each in series(figure) if each.value is None and each.origin.name]
    marks = "".join(mark for each in curves for mark in _marks_of(each, figure.bbox.height))
    return f'<g class="marks" fill="transparent">{marks}</g>'


def _marks_of(each: Series, height: float) -> Iterator[str]:
    places = each.axes.transData.transform(np.column_stack([each.x, each.y]))
    for k in range(0, each.x.size, math.ceil(each.x.size / MOST_MARKS)):
        if not np.isfinite(places[k]).all():
            continue
        runs = " ".join(map(short, each.origin.behind(k)))
        data = f' data-runs="{runs}"' if runs else ""
        title = html.escape(f"{each.origin.name}: {_values(each, k)}")
        circle = f'cx="{places[k][0]:.1f}" cy="{height - places[k][1]:.1f}" r="6"'
        yield f"<circle{data} {circle}><title>{title}</title></circle>"


def _values(each: Series, k: int) -> str:
    """`seconds 0.5, L² error 0.01`; rows of names have no second axis."""
    words = {which: label(each.axes, which) for which in ("x", "y")}
    pairs = ((words["x"], each.x[k]), (words["y"], each.y[k]))
    named = any(words.values())
    return ", ".join(f"{w} {number(float(v))}".strip() for w, v in pairs if w or not named)
