"""What is wrong with a figure as it was drawn: text over text, text that is cut, nothing to see."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

OVERLAP = 0.2  # of the smaller of two texts; boxes are a little larger than their letters
CUT_POINTS = 3.0  # beyond the figure's edge


def drawing_findings(name: str, figure: Figure) -> list[str]:
    """One line per fault of a figure that has been drawn, or saved at its own resolution."""
    return [f"figure {name}: {fault}" for fault in (*_blank(figure), *_texts(figure))]


def _blank(figure: Figure) -> Iterator[str]:
    if not any(_shows(axes) for axes in figure.axes if axes.get_visible()):
        yield "it shows no data"


def _shows(axes: Axes) -> bool:
    points = (np.asarray(line.get_xydata(), dtype=float) for line in axes.lines)
    drawn = any(np.isfinite(data).all(axis=1).any() for data in points if len(data))
    return drawn or bool(axes.collections or axes.images or axes.patches)


def _texts(figure: Figure) -> Iterator[str]:
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    texts = [text for text in _visible(figure) if text.get_text().strip()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    edge = figure.bbox.padded(CUT_POINTS * figure.dpi / 72)
    for text, box in zip(texts, boxes, strict=True):
        if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 or box.y1 > edge.y1:
            yield f"text {_short(text)} is cut"
    for (one, a), (other, b) in combinations(zip(texts, boxes, strict=True), 2):
        shared = _overlap(a, b)
        if shared > OVERLAP * min(a.width * a.height, b.width * b.height):
            yield f"text {_short(one)} is over text {_short(other)}"


def _visible(figure: Figure) -> Iterator[Text]:
    yield from figure.texts
    for box in figure.legends:
        yield from box.get_texts()
    for axes in figure.axes:
        if not axes.get_visible():
            continue
        yield from (text for text in axes.texts if text.get_visible())
        yield from (axes.title, axes._left_title, axes._right_title)  # type: ignore[attr-defined]
        if (inside := axes.get_legend()) is not None:
            yield from inside.get_texts()
        if axes.axison:
            yield from _of_axis(axes.xaxis)
            yield from _of_axis(axes.yaxis)


def _of_axis(axis: Any) -> Iterator[Text]:
    """Its name and the labels of those ticks that are in view."""
    if axis.label.get_visible():
        yield axis.label
    low, high = sorted(axis.get_view_interval())
    for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
        if low <= tick.get_loc() <= high:
            yield from (label for label in (tick.label1, tick.label2) if label.get_visible())


def _overlap(a: Any, b: Any) -> float:
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return float(width * height) if width > 0 and height > 0 else 0.0


def _short(text: Text) -> str:
    words = " ".join(text.get_text().split())
    return f"“{words if len(words) <= 30 else words[:29] + '…'}”"
