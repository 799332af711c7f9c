"""The figures of the first page: errors by what methods were told, and claims as a forest plot."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from reports.contenders import Contender
from reports.formatting import scientific
from reports.style import TINTS, WIDTH_INCHES, look
from reports.svg import End, name_series, plot_series

TOLD = {
    "oracle": "told the field",
    "fit": "told samples of it",
    "solve": "told the equation",
}
NAME_GAP = 0.075  # of a panel's height, between two names
MOST_POINTS = 60  # of a curve; more would weigh and not show


def told_panels(field: Sequence[Contender]) -> Figure:
    """One panel per thing that a method can be told, L² error against seconds, common axes."""
    tracks = [track for track in TOLD if any(c.track == track and c.error for c in field)]
    figure, grid = plt.subplots(
        1, len(tracks), figsize=(WIDTH_INCHES, 2.3), sharex=True, sharey=True, squeeze=False
    )
    named = []
    for axes, track in zip(grid[0], tracks, strict=True):
        ends = _panel(axes, [c for c in field if c.track == track and c.error])
        axes.loglog()
        axes.margins(x=0.12, y=0.1)
        axes.set_title(TOLD[track], loc="left", fontsize=10, fontweight="bold")
        axes.set_xlabel("seconds, one thread")
        named.append((axes, ends))
    xs = [end.at[0] for _, ends in named for end in ends]
    right = 2.0 * max(xs)
    grid[0][0].set_xlim(right=right * 10**ROOM)
    grid[0][0].autoscale_view(scalex=False)
    for axes, ends in named:  # once the common limits are known
        _name(axes, ends, right)
        axes.set_xticks([10.0**k for k in range(-5, 5, 2) if min(xs) / 10 <= 10.0**k <= right])
    grid[0][0].set_ylabel("L² error")
    return figure


ROOM = 3.1  # decades of seconds, right of the last curve, for the names


def _name(axes: Axes, ends: Sequence[End], right: float) -> None:
    """Names in the margin, one below the other, each joined to its curve by a thin line."""
    low, high = np.log10(axes.get_ylim())
    gap = (high - low) * NAME_GAP
    place = high
    for end in sorted(ends, key=lambda end: -end.at[1]):
        place = min(float(np.log10(end.at[1])), place - gap)
        color = look(end.method).color
        (line,) = axes.plot([end.at[0], right], [end.at[1], 10**place], color=color, lw=0.4)
        line.set_zorder(0.5)
        style = {"xytext": (2, 0), "fontsize": 7.5}
        name_series(axes, (right, 10**place), end.text, end.label, end.method, **style)


def _panel(axes: Axes, field: Sequence[Contender]) -> list[End]:
    """Sizes of one element as a line, nets along their training, linear models as points."""
    ends = []
    series: dict[str, list[Contender]] = {}
    for contender in field:
        series.setdefault(contender.appearance.series, []).append(contender)
    for name, members in series.items():
        if members[0].is_net:
            continue
        if members[0].appearance.family == "finite element":
            ends.append(_sizes(axes, name, members))
        else:
            ends.append(_best_of(axes, name, members))
    nets = [c for c in field if c.is_net]
    if nets:
        ends.append(_along_training(axes, min(nets, key=lambda c: c.error or np.inf)))
    return ends


def _sizes(axes: Axes, name: str, members: Sequence[Contender]) -> End:
    rows = sorted(members, key=lambda c: c.unknowns)
    x = [c.seconds_alone or np.nan for c in rows]
    y = [c.error or np.nan for c in rows]
    plot_series(axes, x, y, name, rows[0].look)
    return End((x[-1], y[-1]), name, name, rows[0].look)


def _best_of(axes: Axes, name: str, members: Sequence[Contender]) -> End:
    best = min(members, key=lambda c: c.error or np.inf)
    x, y = best.seconds_alone or np.nan, best.error or np.nan
    plot_series(axes, [x], [y], name, best.look, linestyle="")
    return End((x, y), name, name, best.look)


def _along_training(axes: Axes, net: Contender) -> End:
    """The smallest error so far against seconds, median over seeds; a point without curves."""
    seconds, errors = median_curve(net)
    style = {} if len(seconds) == 1 else {"marker": ""}
    plot_series(axes, seconds, errors, net.name, net.look, **style)
    at = (float(seconds[-1]), float(errors[-1]))
    return End(at, "best net", net.name, net.look)


def median_curve(net: Contender) -> tuple[np.ndarray, np.ndarray]:
    """At common times, the median over seeds of the smallest error until then."""
    curves = [
        (np.asarray(r.arrays["curve_seconds"]), np.asarray(r.arrays["curve_l2_error"]))
        for r in net.records
        if "curve_l2_error" in r.arrays and "curve_seconds" in r.arrays
    ]
    curves = [(s, e) for s, e in curves if s.size > 1 and s[-1] > 0]
    if not curves:
        return np.array([net.seconds_alone or np.nan]), np.array([net.error or np.nan])
    first = max(float(s[s > 0][0]) for s, _ in curves)
    last = max(float(s[-1]) for s, _ in curves)
    times = np.geomspace(min(first, last), last, MOST_POINTS)
    table = []
    for seconds, errors in curves:
        best = np.minimum.accumulate(np.nan_to_num(errors, nan=np.inf))
        at = np.searchsorted(seconds, times, side="right") - 1
        table.append(np.where(at < 0, np.inf, best[np.maximum(at, 0)]))
    errors = np.sort(np.array(table), axis=0)[(len(table) - 1) // 2]
    seen = np.isfinite(errors)
    return times[seen], errors[seen]


@dataclass(frozen=True)
class Bar:
    """One claim of a forest plot: a ratio with its interval and the verdict in a word."""

    text: str
    ratio: float
    low: float
    high: float
    verdict: str


LABEL = 74  # characters of a line beside a bar
ROW = 0.118  # inches per line


def forest(bars: Sequence[Bar], xlabel: str) -> Figure:
    """Ratios with intervals on a logarithmic axis; left of 1 is the claim's side."""
    texts = [textwrap.wrap(bar.text, LABEL, max_lines=2, placeholder=" …") for bar in bars]
    heights = [len(lines) + 0.4 for lines in texts]
    places = [sum(heights[:k]) + heights[k] / 2 for k in range(len(bars))]
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, 0.42 + ROW * sum(heights)))
    left, right = _ratio_limits(bars)
    for place, bar in zip(places, bars, strict=True):
        color = TINTS.get(bar.verdict, "#000000")
        ends = [max(bar.low, left), min(bar.high, right)]
        axes.plot(ends, [place, place], color=color, lw=1.8, solid_capstyle="butt")
        axes.plot([bar.ratio], [place], "o", color=color, ms=5, gid=f"series:{bar.text}")
        axes.annotate(
            bar.verdict,
            (1.02, place),
            xycoords=("axes fraction", "data"),
            color=color,
            fontweight="bold",
            fontsize=7,
            va="center",
        )
    axes.axvline(1.0, color="#888888", lw=0.8)
    axes.set_xscale("log")
    axes.set_yticks(places, ["\n".join(lines) for lines in texts], fontsize=7)
    axes.set_ylim(sum(heights), 0)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(left, right)
    _ratio_ticks(axes, left, right)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_xlabel(xlabel, fontsize=7, loc="right")
    return figure


def _ratio_limits(bars: Sequence[Bar]) -> tuple[float, float]:
    """Room for all medians and for intervals up to a hundred times beyond them."""
    ratios = [bar.ratio for bar in bars] + [0.9, 1.1]
    low, high = min(ratios), max(ratios)
    ends = [e for bar in bars for e in (bar.low, bar.high) if low / 100 < e < high * 100]
    return min([low, *ends]) / 1.15, max([high, *ends]) * 1.15


def _ratio_ticks(axes: Axes, left: float, right: float) -> None:
    """Powers of two, or of ten where the ratios span more."""
    base = 2.0 if right / left < 64 else 10.0
    first, last = (int(np.floor(np.log(end) / np.log(base))) for end in (left, right))
    powers = np.arange(first, last + 1)[:: max(1, (last - first) // 6)]
    axes.xaxis.set_major_locator(FixedLocator([float(base) ** int(power) for power in powers]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _ratio(value)))


def _ratio(value: float) -> str:
    if value >= 1:
        return f"{value:g}" if value < 1e4 else scientific(value, 0)
    if value < 0.001:
        return scientific(value, 0)
    return {0.5: "½", 0.25: "¼", 0.125: "⅛"}.get(value, f"1/{1 / value:g}")
