"""A matplotlib figure as inline SVG: ids of its own, curves with names, marks with titles."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from bench.store.results import medians
from reports.document import Picture, slug
from reports.formatting import number
from reports.interactive.cells import short
from reports.interactive.numbers import Origin, Series, as_json, label, series, set_origin
from reports.style import drawn, look, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A training curve has thousands of points: tooltips for all of them would outweigh the figure.
MOST_MARKS = 20  # of one series

NAME_SIZE = 8.0
NAME_POINTS = 9.0  # between two names at the ends of curves


def plot_series(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    name: str,
    method: str,
    *,
    keys: Sequence[Sequence[str]] = (),
    **style: Any,
) -> None:
    """Plot one curve with the look of its method, so that the page can name its points.

    `keys` are those of the results behind each point, or one entry for all points.
    """
    method_look = look(method)
    settings = {
        "color": method_look.color,
        "marker": method_look.marker,
        "linestyle": method_look.dash,
        "fillstyle": "none" if method_look.hollow else "full",
        **style,
    }
    (line,) = axes.plot(np.asarray(x), np.asarray(y), label=name, **settings)
    set_origin(line, Origin(name.removeprefix("_"), keys))  # "_" keeps a name out of the legend


def plot_median(
    axes: Axes, x: ArrayLike, table: ArrayLike, name: str, method: str, **style: Any
) -> None:
    """Plot the median over seeds, the rows of a table, with a band over all of them."""
    rows = np.asarray(table)
    plot_series(axes, x, medians(rows), name, method, **{"marker": "", **style})
    if len(rows) > 1:
        low, high, color = rows.min(axis=0), rows.max(axis=0), look(method).color
        axes.fill_between(np.asarray(x), low, high, alpha=0.15, color=color, lw=0)


def name_series(axes: Axes, at: tuple[float, float], text: str, method: str, **style: Any) -> None:
    """A name next to the curve itself. It has no background, which would hide marks under it."""
    settings: dict[str, Any] = {
        "xytext": (5, 0),
        "textcoords": "offset points",
        "va": "center",
        "fontsize": NAME_SIZE,
        "color": look(method).color,
        **style,
    }
    name = axes.annotate(text, at, **settings)
    name.set_in_layout(False)  # a name makes no room for itself: panels stay of one width


@dataclass(frozen=True)
class End:
    """Where a curve ends, and what it is called there."""

    at: tuple[float, float]
    text: str
    method: str


def name_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Names to the right of curves, moved apart where they would overlap and joined to their curve
    by a thin line where they moved; limits must be set."""
    axes.set_xlim(axes.get_xlim())  # the thin lines must not move them
    axes.set_ylim(axes.get_ylim())
    for crowd in _crowds(axes, ends):
        _name_crowd(axes, crowd)


def _crowds(axes: Axes, ends: Sequence[End]) -> list[list[End]]:
    """Curves that end so near to each other that their names could overlap."""
    points = 72 / axes.figure.dpi
    places = [(float(axes.transData.transform(end.at)[0]) * points, end) for end in ends]
    crowds: list[list[End]] = []
    right = -math.inf
    for left, end in sorted(places, key=lambda place: place[0]):
        if left > right:
            crowds.append([])
        crowds[-1].append(end)
        right = max(right, left + (len(end.text) + 2) * LETTER * NAME_SIZE)
    return crowds


def _name_crowd(axes: Axes, ends: Sequence[End]) -> None:
    points = 72 / axes.figure.dpi
    ordered = sorted(ends, key=lambda end: -end.at[1])
    heights = [float(axes.transData.transform(end.at)[1]) * points for end in ordered]
    low, high = (float(y) * points for y in (axes.bbox.y0, axes.bbox.y1))
    for end, height, place in zip(ordered, heights, spread(heights, low, high), strict=True):
        y = float(axes.transData.inverted().transform((0.0, place / points))[1])
        if abs(place - height) > 3:
            color = look(end.method).color
            axes.plot([end.at[0]] * 2, [end.at[1], y], color=color, lw=0.4, zorder=0.5)
        name_series(axes, (end.at[0], y), end.text, end.method)


def spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Falling places no nearer than a line to each other, as near as possible to where they are
    wanted, within the axis."""
    gap = min(NAME_POINTS, (high - low) / max(1, len(wanted)))
    steps = gap * np.arange(len(wanted))
    places = isotonic_regression(np.asarray(wanted) + steps, increasing=False).x - steps
    return np.clip(places, low + gap / 2 + steps[::-1], high - steps).tolist()


LETTER = 0.59  # of a name's size, the width of a letter on average
MOST_NAMES = 0.6  # of a panel's width


def make_room(axes: Axes, ends: Sequence[End], panels: int) -> None:
    """Widens a logarithmic axis to the right by the longest name, in a row of so many panels."""
    right = max((end.at[0] for end in ends), default=1.0)
    longest = max((len(end.text) for end in ends), default=0)
    width = 0.9 * axes.figure.bbox.width * 72 / axes.figure.dpi / panels
    share = min(MOST_NAMES, (longest + 2) * LETTER * NAME_SIZE / width)
    decades = max(1.0, math.log10(right / axes.get_xlim()[0]))
    axes.set_xlim(right=right * 10 ** (decades * share / (1 - share)))


def legend_below(figure: Figure, columns: int = 3) -> None:
    """A legend of the curves of all panels, below the figure: many entries hide no data there."""
    named: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, text in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(text, handle)
    if named:
        place: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, "fontsize": 8}
        figure.legend([*named.values()], [*named], **place)


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
        svg = _for_page(made, picture.name, picture.alt, _marks(figure))
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
