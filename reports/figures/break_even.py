"""Break-even counts: after how many evaluated points a net's training is paid back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from reports.decision.break_even import BreakEven
from reports.formatting import scientific, superscript
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_series

Looks = Mapping[str, str]  # by series, the key of an element's look


def pay_back_counts(found: Mapping[str, Sequence[BreakEven]], looks: Looks) -> Figure:
    """One panel per problem, one row per required error: the count for every element, with its
    interval over the net's seeds, between the lanes `at once` and `never`."""
    panels = {problem: rows for problem, rows in found.items() if rows}
    lanes = _lanes([row for rows in panels.values() for row in rows])
    errors = sorted({row.required for rows in panels.values() for row in rows}, reverse=True)
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    height = 0.7 + lines * max(1.1, 0.55 + 0.27 * len(errors))
    figure, grid = plt.subplots(
        lines, columns, figsize=(WIDTH_INCHES, height), squeeze=False, sharex=True, sharey=True
    )
    for axes, (problem, rows) in zip(grid.flat, panels.items(), strict=False):
        _panel(axes, rows, errors, looks, lanes)
        axes.set_title(problem, fontsize=9, loc="left", fontweight="bold")
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[-1]:
        axes.set_xlabel("points until the net is ahead")
    figure.supylabel("required L² error", fontsize=9)
    legend_below(figure, columns=6)
    return figure


def _lanes(rows: Sequence[BreakEven]) -> tuple[float, float]:
    """Where `at once` and `never` stand, as powers of ten beyond the counts that are drawn."""
    counts = [v for row in rows for v in (row.points.middle, row.points.low, row.points.high)]
    finite = [np.log10(v) for v in counts if not isinf(v) and v > 0] or [3.0, 6.0]
    return float(np.floor(min(finite))) - 1.0, float(np.ceil(max(finite))) + 1.0


def _panel(
    axes: Axes,
    rows: Sequence[BreakEven],
    errors: Sequence[float],
    looks: Looks,
    lanes: tuple[float, float],
) -> None:
    series = list(dict.fromkeys(row.element.method.series for row in rows))
    for row in rows:
        name = row.element.method.series
        shift = (series.index(name) - (len(series) - 1) / 2) * 0.7 / max(len(series), 1)
        place = errors.index(row.required) + shift
        ends = [_at(value, lanes) for value in (row.points.low, row.points.high)]
        look = looks[name]
        first = name not in axes.get_legend_handles_labels()[1]
        label = name if first else f"_{name}"
        plot_series(axes, ends, [place] * 2, f"_{name}", look, marker="", lw=1.2, linestyle="-")
        at = [_at(row.points.middle, lanes)]
        plot_series(axes, at, [place], label, look, linestyle="", markersize=5)
        axes.lines[-1].set_gid(f"series:{name}")
    axes.set_yticks(range(len(errors)), [scientific(e, 0).removeprefix("1·") for e in errors])
    axes.set_ylim(len(errors) - 0.5, -0.5)
    left, right = lanes
    ticks = list(range(int(left) + 1, int(right)))
    ticks = ticks[:: max(1, -(-len(ticks) // 5))]
    axes.set_xlim(left - 0.6, right + 0.6)
    axes.xaxis.set_major_locator(FixedLocator([left, *ticks, right]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels(["at once", *(f"10{superscript(str(k))}" for k in ticks), "never"])
    for lane in lanes:
        axes.axvspan(lane - 0.5, lane + 0.5, color="#f0f0f0", zorder=0)
    axes.grid(axis="y", visible=False)


def _at(value: float, lanes: tuple[float, float]) -> float:
    if isinf(value):
        return lanes[1]
    return float(np.log10(value)) if value > 0 else lanes[0]
