"""Numbers in rows, in groups: errors of methods by field, or ratios with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from reports.figures.curves import HOLLOW, plot_series
from reports.style import WIDTH_INCHES, family_color

ROW_INCHES = 0.15
GROUP_ROWS = 1.5  # of the title of a group, in rows
FACTORS = (1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Row:
    """A number with its interval; hollow where there is no verdict."""

    name: str
    look: str
    value: float
    low: float | None = None
    high: float | None = None
    filled: bool = True
    keys: tuple[str, ...] = ()


def rows_in_groups(groups: Mapping[str, Sequence[Row]], what: str, ratios: bool = False) -> Figure:
    """A row per number under the title of its group, on a logarithmic axis; the axis of ratios is
    symmetric about one."""
    count = sum(map(len, groups.values())) + GROUP_ROWS * len(groups)
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, 0.6 + ROW_INCHES * count))
    places: dict[float, str] = {}
    height = 0.0
    for title, rows in groups.items():
        height += GROUP_ROWS
        axes.text(-0.01, height - 0.1, title, transform=axes.get_yaxis_transform(), fontsize=9,
                  fontweight="bold", ha="right", va="center")  # fmt: skip
        for row in rows:
            height += 1.0
            places[height] = row.name
            _draw(axes, row, f"{title}: {row.name}", height)
    axes.set_yticks([*places], [*places.values()], fontsize=8.5)
    axes.set_ylim(height + 0.8, 0.3)
    axes.tick_params(axis="y", length=0)
    axes.set_xscale("log")
    axes.set_xlabel(what)
    figure.set_layout_engine("constrained", w_pad=0.2)
    if ratios:
        axes.axvline(1.0, color="black", linewidth=1)
        ends = [(r.low or r.value, r.high or r.value) for rows in groups.values() for r in rows]
        _ratio_axis(axes, [bound for both in ends for bound in both])
        _verdict_legend(figure, [row for rows in groups.values() for row in rows])
    return figure


def _draw(axes: Axes, row: Row, label: str, height: float) -> None:
    color = family_color(row.look)
    if row.low is not None and row.high is not None:
        axes.plot([row.low, row.high], [height] * 2, color=color, linewidth=1.2, alpha=0.7)
    style: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 5.5, "color": color}
    style["markerfacecolor"] = color if row.filled else HOLLOW
    plot_series(axes, [row.value], [height], label, row.look, keys=[row.keys], **style)


def _verdict_legend(figure: Figure, rows: Sequence[Row]) -> None:
    """What filled and hollow marks mean, of the kinds that are there."""
    names = {True: "decided", False: "no verdict"}
    color = family_color(rows[0].look)
    marks = [
        Line2D([], [], linestyle="", marker="o", markersize=5.5, color=color, label=name,
               markerfacecolor=color if filled else HOLLOW)
        for filled, name in names.items() if any(row.filled == filled for row in rows)
    ]  # fmt: skip
    figure.legend(handles=marks, loc="outside lower center", ncols=2, fontsize=8)


def _ratio_axis(axes: Axes, bounds: Sequence[float]) -> None:
    """Limits symmetric about one, and ticks that are plain factors."""
    finite = [abs(np.log(bound)) for bound in bounds if np.isfinite(bound) and bound > 0]
    reach = max(1.5, float(np.exp(min(1.1 * max(finite, default=1.0), np.log(1000.0)))))
    ticks = sorted({tick for f in FACTORS if f <= reach for tick in (f, 1 / f)})
    if len(ticks) > 9:
        ticks = [tick for tick in ticks if round(max(tick, 1 / tick), 2) not in (1.2, 1.5, 3, 30)]
    axes.set_xlim(1 / reach, reach)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_ticklabels([f"{tick:.2g}" for tick in ticks])
