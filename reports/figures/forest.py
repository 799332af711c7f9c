"""Ratios with intervals as a forest plot."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from reports.formatting import scientific
from reports.interactive.numbers import SERIES, Origin, set_origin
from reports.style import WIDTH_INCHES, tint


@dataclass(frozen=True)
class Bar:
    """One row of a forest plot: a ratio with its interval, and a word about it."""

    text: str
    ratio: float
    low: float
    high: float
    verdict: str
    keys: tuple[str, ...] = ()  # of the results behind it


LABEL = 74  # characters of a line next to a bar
ROW = 0.118  # inches per line


def forest(bars: Sequence[Bar], xlabel: str) -> Figure:
    """Ratios with intervals on a logarithmic axis; one row per bar."""
    texts = [textwrap.wrap(bar.text, LABEL, max_lines=2, placeholder=" …") for bar in bars]
    heights = [len(lines) + 0.4 for lines in texts]
    places = [sum(heights[:k]) + heights[k] / 2 for k in range(len(bars))]
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, 0.42 + ROW * sum(heights)))
    left, right = _ratio_limits(bars)
    for place, bar in zip(places, bars, strict=True):
        color = tint(bar.verdict)
        ends = [max(bar.low, left), min(bar.high, right)]
        axes.plot(ends, [place, place], color=color, lw=1.8, solid_capstyle="butt")
        (mark,) = axes.plot([bar.ratio], [place], "o", color=color, ms=5, gid=SERIES + bar.text)
        set_origin(mark, Origin(keys=[bar.keys]))
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
