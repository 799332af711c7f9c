"""A matplotlib figure as inline SVG: ids of its own, series to toggle, marks with names."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bench.store.results import medians
from reports.document import Picture, slug
from reports.drawings import drawing_findings
from reports.formatting import number
from reports.interactive.cells import short
from reports.interactive.numbers import (
    SERIES,
    Origin,
    Panel,
    Series,
    as_json,
    panels,
    series,
    set_origin,
)
from reports.style import drawn, look, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# A training curve has thousands of points: tooltips for all of them would outweigh the figure.
MOST_MARKS = 20  # of one series

NAME_POINTS = 9.0  # between two names at the ends of curves

_LEGEND = "legend:"


def plot_series(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    label: str,
    method: str,
    *,
    keys: Sequence[Sequence[str]] = (),
    **style: Any,
) -> None:
    """Plot one curve with the look of its method, so that the page can hide it and name its points.

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
    (line,) = axes.plot(np.asarray(x), np.asarray(y), label=label, **settings)
    line.set_gid(SERIES + label.removeprefix("_"))  # which keeps a name out of the legend
    set_origin(line, Origin(method, keys))


def plot_median(
    axes: Axes, x: ArrayLike, table: ArrayLike, label: str, method: str, **style: Any
) -> None:
    """Plot the median over seeds, the rows of a table, with a band over all of them."""
    rows = np.asarray(table)
    plot_series(axes, x, medians(rows), label, method, **{"marker": "", **style})
    if len(rows) > 1:
        plot_band(axes, x, rows.min(axis=0), rows.max(axis=0), label, method)


def plot_band(
    axes: Axes, x: ArrayLike, low: ArrayLike, high: ArrayLike, label: str, method: str
) -> None:
    """The spread around a series of that label, hidden and shown with it."""
    band = axes.fill_between(np.asarray(x), low, high, alpha=0.15, color=look(method).color, lw=0)
    band.set_gid(SERIES + label)


def name_series(
    axes: Axes, at: tuple[float, float], text: str, label: str, method: str, **style: Any
) -> None:
    """A name next to the curve itself, so that the eye need not travel to the legend."""
    settings: dict[str, Any] = {
        "xytext": (5, 0),
        "textcoords": "offset points",
        "va": "center",
        "fontsize": 8,
        "color": look(method).color,
        **style,
    }
    name = axes.annotate(text, at, **settings)
    name.set_gid(SERIES + label)
    name.set_in_layout(False)  # a name makes no room for itself: panels stay of one width


@dataclass(frozen=True)
class End:
    """Where a curve ends, and what it is called there."""

    at: tuple[float, float]
    text: str
    label: str
    method: str


def name_ends(axes: Axes, ends: Sequence[End], at: float | None = None) -> None:
    """Names to the right of curves, moved apart where they would overlap and joined to their curve
    by a thin line where they moved; limits must be set. `at` puts all names at one place."""
    axes.set_xlim(axes.get_xlim())  # the thin lines must not move them
    axes.set_ylim(axes.get_ylim())
    points = 72 / axes.figure.dpi
    ordered = sorted(ends, key=lambda end: -end.at[1])
    heights = [float(axes.transData.transform(end.at)[1]) * points for end in ordered]
    low, high = (float(y) * points for y in (axes.bbox.y0, axes.bbox.y1))
    for end, height, place in zip(ordered, heights, spread(heights, low, high), strict=True):
        x = end.at[0] if at is None else at
        y = float(axes.transData.inverted().transform((0.0, place / points))[1])
        if abs(place - height) > 3 or x != end.at[0]:
            color = look(end.method).color
            axes.plot([end.at[0], x], [end.at[1], y], color=color, lw=0.4, zorder=0.5)
        name_series(axes, (x, y), end.text, end.label, end.method)


def spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Falling places no nearer than a line to each other, near where they are wanted, none below
    the axis: first pushed down from the top, then up from the bottom."""
    gap = min(NAME_POINTS, (high - low) / max(1, len(wanted)))
    places: list[float] = []
    for value in wanted:
        places.append(min(value, places[-1] - gap) if places else value)
    floor = low + gap / 2
    for k in reversed(range(len(places))):
        places[k] = max(places[k], floor)
        floor = places[k] + gap
    return places


LETTER = 0.59  # of a name's size, the width of a letter on average
MOST_NAMES = 0.6  # of a panel's width


def make_room(
    axes: Axes, ends: Sequence[End], panels: int, size: float = 8.0, beyond: float = 1.0
) -> float:
    """Widens a logarithmic axis to the right by the longest name, in a row of so many panels;
    where the names begin, so many times `beyond` the last curve."""
    right = beyond * max((end.at[0] for end in ends), default=1.0)
    longest = max((len(end.text) for end in ends), default=0)
    width = 0.9 * axes.figure.bbox.width * 72 / axes.figure.dpi / panels
    share = min(MOST_NAMES, (longest + 2) * LETTER * size / width)
    decades = max(1.0, math.log10(right / axes.get_xlim()[0]))
    axes.set_xlim(right=right * 10 ** (decades * share / (1 - share)))
    return right


def legend(axes: Axes, **settings: Any) -> None:
    """A legend whose entries the page can make clickable; none where no curve has a name."""
    if axes.get_legend_handles_labels()[0]:
        _clickable(axes.legend(**settings))


def legend_below(figure: Figure, columns: int = 3) -> None:
    """A legend of the curves of all panels, below the figure: many entries hide no data there."""
    named: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, "fontsize": 8}
    if named:
        _clickable(figure.legend([*named.values()], [*named], **place))


def _clickable(box: Legend) -> None:
    for handle, text in zip(box.legend_handles, box.get_texts(), strict=True):
        for part in (handle, text):
            if part is not None:
                part.set_gid(_LEGEND + text.get_text())


@dataclass(frozen=True)
class Drawing:
    """A figure as matplotlib saved it, and what is wrong with it."""

    svg: bytes
    faults: Sequence[str]


@dataclass(frozen=True)
class Inline:
    """A figure for the page: one <svg> element, and the numbers that it draws."""

    svg: str
    numbers: dict[str, Any]


def drawing(picture: Picture) -> Drawing:
    """A picture for the PDF, its text still text."""
    with drawn(picture, text_as_text=True) as figure:
        return _saved(figure, picture.name)


def inline_svg(picture: Picture) -> tuple[Inline, Drawing]:
    """A picture for the page, and for the PDF, so that it need not be drawn again."""
    with drawn(picture, text_as_text=True) as figure:
        made = _saved(figure, picture.name)
        svg = _for_page(made.svg, picture.name, picture.alt, _marks(figure))
        return Inline(svg, as_json(figure)), made


def _saved(figure: Figure, name: str) -> Drawing:
    data = saved(figure, "svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Drawing(data, drawing_findings(name, figure))


def _for_page(saved_svg: bytes, name: str, alt: str, marks: str) -> str:
    text = saved_svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = prefix_ids(_name_series(text), slug(name))
    label = html.escape(alt, quote=True)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return text.replace("</svg>", marks + "</svg>")


def _name_series(text: str) -> str:
    """Artist ids `series:…` and `legend:…` become data attributes: a series may have many parts."""

    def attribute(match: re.Match[str]) -> str:
        kind, label = match.group(1), html.unescape(match.group(2))
        return f'data-{kind}="{slug(label)}"'

    return re.sub(r'id="(series|legend):([^"]*)"', attribute, text)


def prefix_ids(text: str, prefix: str) -> str:
    """Several figures share one page, and matplotlib numbers the parts of each from one."""
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    return re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{prefix}-\1"', text)


def _marks(figure: Figure) -> str:
    """A transparent circle with a title over every data point: tooltips without any script."""
    words = panels(figure)
    marks = "".join(
        mark
        for each in series(figure)
        if each.value is None and not each.end_of_band  # its curve has marks at the same x
        if each.name or any(words[each.panel].names.values())
        for mark in _marks_of(each, words[each.panel], figure.bbox.height)
    )
    return f'<g class="marks" fill="transparent">{marks}</g>'


def _marks_of(each: Series, panel: Panel, height: float) -> Iterator[str]:
    places = each.axes.transData.transform(np.column_stack([each.x, each.y]))
    named = f' data-series="{slug(each.name)}"' if each.name else ""
    for k in range(0, each.x.size, math.ceil(each.x.size / MOST_MARKS)):
        if not np.isfinite(places[k]).all():
            continue
        px, py = places[k]
        runs = " ".join(map(short, each.origin.behind(k)))
        data = f'{named} data-runs="{runs}"' if runs else named
        values = f"{_value(panel, 'x', each.x[k])}, {_value(panel, 'y', each.y[k])}"
        title = html.escape(f"{each.name}: {values}" if each.name else values)
        circle = f'cx="{px:.1f}" cy="{height - py:.1f}" r="6"'
        yield f"<circle{data} {circle}><title>{title}</title></circle>"


def _value(panel: Panel, axis: Literal["x", "y"], value: float) -> str:
    """`seconds 0.5`, or what stands at the tick."""
    label = panel.x if axis == "x" else panel.y
    return panel.names[axis].get(float(value)) or f"{label} {number(float(value))}".strip()
