"""Panels of curves: every figure with curves is drawn here, from names, looks and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from bench.store.results import medians
from reports.interactive.numbers import Origin
from reports.style import WIDTH_INCHES, look, set_powers

Array = NDArray[np.float64]
NAME_SIZE = 8.0
NAME_POINTS = 9.0  # between two names at the ends of curves
NAME_GAP = 5.0  # from the end of a curve to its name
SHIFTS = (0, -6, -9, -12, -15, 6, 9, 12, 15)  # of a name, in points; down first: curves fall
LETTER = 0.59  # of a name's size, the width of a letter on average
MOST_NAMES = 0.6  # of a panel's width
HOLLOW = "white"  # the line must not show through a mark
PLACES = 40  # of a curve over several seeds


@dataclass(frozen=True)
class Curve:
    """The points of one method. If `y` has a row per seed, their median with a band over all."""

    name: str  # with "_" in front: neither at its end nor in the legend
    look: str
    x: Any
    y: Any
    keys: Sequence[Sequence[str]] = ()  # of the results behind each point, or behind all
    style: Mapping[str, Any] = field(default_factory=dict)
    end: str = ""  # a shorter name, for its end


@dataclass(frozen=True)
class Panel:
    """Curves over one axis; `also` draws the rest."""

    title: str
    x: str
    curves: Sequence[Curve]
    also: Callable[[Axes], object] = lambda axes: None


def draw_panels(
    panels: Sequence[Panel],
    y: str,
    *,
    height: float = 2.3,
    columns: int = 2,
    share: str = "x",
    scales: tuple[str, str] = ("log", "log"),
    legend: int = 0,
) -> Figure:
    """Panels in rows, whose x or y axes are shared; names at the ends of the curves, or in a legend
    of so many columns."""
    across = max(1, min(columns, len(panels)))
    rows = max(1, -(-len(panels) // across))
    size = (WIDTH_INCHES, height * rows + 0.3)
    figure, grid = plt.subplots(
        rows, across, figsize=size, squeeze=False, sharex="x" in share, sharey="y" in share
    )
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    pairs = list(zip(grid.flat, panels, strict=False))
    for axes, panel in pairs:
        for curve in panel.curves:
            _draw(axes, curve)
        axes.set_xscale(scales[0])
        axes.set_yscale(scales[1])
        if scales[0] == "linear":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        weight, title_size = ("bold", 9.0) if across < 3 else ("normal", 8.5)
        axes.set_title(panel.title, fontsize=title_size, loc="left", fontweight=weight)
        axes.set_xlabel(panel.x if axes in grid[-1] or "x" not in share else "")
        panel.also(axes)
    for axes in grid[:, 0]:
        axes.set_ylabel(y)
    if legend:
        _legend_below(figure, legend)
    else:
        _name_curves(figure, [(axes, panel.curves) for axes, panel in pairs], across, "x" in share)
    return figure


def last_seen(
    curves: Sequence[tuple[ArrayLike, ArrayLike]], smooth: bool = False
) -> tuple[Array, Array]:
    """Curves at common places, a row each: at every place the value last seen, infinite before; or
    `smooth`, straight lines on logarithmic axes between the values."""
    points = [(np.asarray(x, float), np.asarray(y, float)) for x, y in curves]
    begun = [x[(x > 0) & np.isfinite(x)] for x, _ in points]
    last = max(float(x[-1]) for x in begun)
    places = np.geomspace(min(max(float(x[0]) for x in begun), last), last, PLACES)
    if all(len(x) == 1 for x in begun):
        places = places[-1:]
    rows = []
    for x, y in points:
        good = (x > 0) & (y > 0) & np.isfinite(y)
        if smooth and good.any():
            rows.append(np.exp(np.interp(np.log(places), np.log(x[good]), np.log(y[good]))))
            continue
        at = np.searchsorted(x, places * (1 + 1e-12), side="right") - 1
        rows.append(np.where(at < 0, np.inf, y[np.maximum(at, 0)]))
    return places, np.array(rows)


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
        "markerfacecolor": HOLLOW if method_look.hollow else method_look.color,
        **style,
    }
    (line,) = axes.plot(np.asarray(x), np.asarray(y), label=name, **settings)
    line.origin = Origin(name.removeprefix("_"), keys)  # type: ignore[attr-defined]


def _draw(axes: Axes, curve: Curve) -> None:
    rows = np.atleast_2d(np.asarray(curve.y, dtype=float))
    middle, style = (rows[0], {}) if np.ndim(curve.y) < 2 else (medians(rows), {"marker": ""})
    plot_series(
        axes, curve.x, middle, curve.name, curve.look, keys=curve.keys, **{**style, **curve.style}
    )
    if len(rows) > 1:
        low, high, color = rows.min(axis=0), rows.max(axis=0), look(curve.look).color
        axes.fill_between(np.asarray(curve.x), low, high, alpha=0.15, color=color, lw=0)


def _legend_below(figure: Figure, columns: int) -> None:
    """A legend of the curves of all panels, below the figure: many entries hide no data there."""
    named: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, text in zip(*axes.get_legend_handles_labels(), strict=True):
            named.setdefault(text, handle)
    if named:
        place: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, "fontsize": 8}
        figure.legend([*named.values()], [*named], **place)


def name_series(axes: Axes, at: tuple[float, float], text: str, method: str, **style: Any) -> None:
    """A name next to the curve itself. It has no background, which would hide marks under it."""
    settings: dict[str, Any] = {
        "xytext": (NAME_GAP, 0),
        "textcoords": "offset points",
        "va": "center",
        "fontsize": NAME_SIZE,
        "color": look(method).color,
        **style,
    }
    name = axes.annotate(text, at, **settings)
    name.set_in_layout(False)  # a name makes no room for itself: panels stay of one width


@dataclass(frozen=True)
class _End:
    """Where a curve ends, and what it is called there."""

    at: tuple[float, float]
    text: str
    method: str


def _ends(axes: Axes, curves: Sequence[Curve]) -> list[_End]:
    ends = []
    for curve, line in zip(curves, axes.lines, strict=False):
        x, y = np.asarray(line.get_xydata(), dtype=float).T
        if len(x) and not curve.name.startswith("_"):
            ends.append(_End((float(x[-1]), float(y[-1])), curve.end or curve.name, curve.look))
    return ends


def _name_curves(
    figure: Figure, panels: Sequence[tuple[Axes, Sequence[Curve]]], across: int, shared: bool
) -> None:
    """Names to the right of curves, moved apart where they would overlap and joined to their curve
    by a thin line where they moved."""
    ends = {axes: _ends(axes, curves) for axes, curves in panels}
    for axes, its in ends.items():
        axes.autoscale_view()
        _make_room(axes, [end for each in ends.values() for end in each] if shared else its, across)
    set_powers(figure)
    figure.draw_without_rendering()  # names keep their distance only once the axes have their size
    for axes, its in ends.items():
        axes.set_xlim(axes.get_xlim())  # the thin lines must not move them
        axes.set_ylim(axes.get_ylim())
        for crowd in _crowds(axes, its):
            _name_crowd(axes, crowd)


def _make_room(axes: Axes, ends: Sequence[_End], across: int) -> None:
    """Widen a logarithmic axis to the right by the longest name, in a row of so many panels."""
    left, right = np.log10(axes.get_xlim())
    places = [math.log10(end.at[0]) for end in ends] or [right]
    furthest = max(places) if left < right else min(places)
    width = 0.9 * axes.figure.bbox.width * 72 / axes.figure.dpi / across
    longest = max((len(end.text) for end in ends), default=0)
    share = min(MOST_NAMES, (longest + 2) * LETTER * NAME_SIZE / width)
    decades = math.copysign(max(1.0, abs(furthest - left)), right - left)
    axes.set_xlim(right=10 ** (furthest + decades * share / (1 - share)))


def _crowds(axes: Axes, ends: Sequence[_End]) -> list[list[_End]]:
    """Curves that end so near to each other that their names could overlap."""
    points = 72 / axes.figure.dpi
    places = [(float(axes.transData.transform(end.at)[0]) * points, end) for end in ends]
    crowds: list[list[_End]] = []
    right = -math.inf
    for left, end in sorted(places, key=lambda place: place[0]):
        if left > right:
            crowds.append([])
        crowds[-1].append(end)
        right = max(right, left + (len(end.text) + 2) * LETTER * NAME_SIZE)
    return crowds


def _name_crowd(axes: Axes, ends: Sequence[_End]) -> None:
    points = 72 / axes.figure.dpi
    ordered = sorted(ends, key=lambda end: -end.at[1])
    heights = [float(axes.transData.transform(end.at)[1]) * points for end in ordered]
    wanted = [_clear_height(axes, end) for end in ordered]
    low, high = (float(y) * points for y in (axes.bbox.y0, axes.bbox.y1))
    for end, height, place in zip(ordered, heights, spread(wanted, low, high), strict=True):
        y = float(axes.transData.inverted().transform((0.0, place / points))[1])
        if abs(place - height) > 3:
            color = look(end.method).color
            axes.plot([end.at[0]] * 2, [end.at[1], y], color=color, lw=0.4, zorder=0.5)
        name_series(axes, (end.at[0], y), end.text, end.method)


def _clear_height(axes: Axes, end: _End) -> float:
    """The height, in points, of the name of an end: its own unless a curve would strike the name
    through, then the nearest one without."""
    points = 72 / axes.figure.dpi
    x, y = axes.transData.transform(end.at) * points
    right = x + (len(end.text) + 2) * LETTER * NAME_SIZE
    struck = [
        place[1]
        for line in axes.lines
        for place in _along(line.get_transform().transform(line.get_xydata()) * points)
        if x + NAME_GAP <= place[0] <= right
    ]
    for shift in SHIFTS:
        if all(abs(y + shift - height) > 0.7 * NAME_SIZE for height in struck):
            return float(y + shift)
    return float(y)


def _along(corners: Array) -> Array:
    """Points on a polygon, close to each other."""
    steps = np.linspace(0, len(corners) - 1, 50 * len(corners))
    at = np.arange(len(corners))
    return np.column_stack([np.interp(steps, at, corners[:, k]) for k in (0, 1)])


def spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Falling places no nearer than a line to each other, as near as possible to where they are
    wanted, within the axis."""
    gap = min(NAME_POINTS, (high - low) / max(1, len(wanted)))
    steps = gap * np.arange(len(wanted))
    places = isotonic_regression(np.asarray(wanted) + steps, increasing=False).x - steps
    return np.clip(places, low + gap / 2 + steps[::-1], high - steps).tolist()
