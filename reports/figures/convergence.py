"""Error against mesh size: curves of finite elements, horizontal lines of nets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.store.results import Results, median
from reports.names import element_look, element_short, element_title, net_method, net_name
from reports.style import WIDTH_INCHES
from reports.svg import End, legend_below, name_ends, plot_band, plot_series

Array = NDArray[np.float64]
Name = Callable[[Mapping[str, Any]], str]


def error_against_h(fem: Results, nets: Results) -> Figure:
    """L² error on the whole domain against h: a curve per element, a horizontal line per net.

    Lines are medians over seeds, with a band over all of them.
    """
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, WIDTH_INCHES * 0.55))
    ends = draw_elements(axes, fem)
    draw_levels(axes, nets)
    axes.set_ylabel("L² error on the whole domain")
    legend_below(figure)
    figure.draw_without_rendering()  # names keep their distance only once the axes have their size
    name_ends(axes, ends, side="left")
    return figure


def draw_elements(axes: Axes, fem: Results) -> list[End]:
    """A curve per element with slopes to compare with; where each ends."""
    ends: list[End] = []
    lowest: dict[int, tuple[Array, Array]] = {}
    for element in fem.distinct("element"):
        rows = Results([r for r in fem if r.config["element"] == element]).sorted_by("n")
        h, error = (np.array(rows.value(name), dtype=float) for name in ("h", "l2_error"))
        first = rows.records[0]
        label = element_title(first)
        look = element_look(element)
        plot_series(axes, h, error, label, look, keys=[[r.key] for r in rows])
        ends.append(End((h[-1], error[-1]), element_short(first), label, look))
        rate = first.values.get("element_rate")  # none where the order is an argument
        if rate is not None and (rate not in lowest or error[-1] < lowest[rate][1][-1]):
            lowest[rate] = h, error
    axes.loglog()
    axes.margins(x=0.12)
    for rate, (h, error) in lowest.items():
        rate_triangle(axes, h, error, rate)
    axes.set_xlabel("mesh size h (cell diameter)")
    return ends


def draw_levels(axes: Axes, nets: Results, name: Name = net_name) -> None:
    """A net has no mesh size: its error is a horizontal line over the whole range of h."""
    left, right = axes.get_xlim()
    ends = [max(left, 1e-3), right]
    for label in sorted({name(r.config) for r in nets}):
        runs = Results([r for r in nets if name(r.config) == label])
        errors = runs.errors("l2_error")  # infinite where a run diverged
        method, level = net_method(runs.records[0].config), median(errors)
        if not np.isfinite(level):
            plot_series(axes, [], [], f"{label} (diverged)", method, marker="")
            continue
        width = 0.7 if runs.records[0].config["bias_ordering"] else 1.5
        style: dict[str, Any] = {"marker": "", "linewidth": width, "keys": [runs.keys()]}
        plot_series(axes, ends, [level, level], label, method, **style)
        if len(errors) > 1:
            finite = [error for error in errors if np.isfinite(error)]
            plot_band(axes, ends, min(finite), max(finite), label, method)


def rate_triangle(axes: Axes, h: Array, error: Array, rate: int) -> None:
    """A slope to compare with, error ∝ h^rate, below the fine end of a curve; axes logarithmic."""
    x0, x1 = h[-1], min(3 * h[-1], h[0])
    y0 = error[-1] / 3
    y1 = y0 * (x1 / x0) ** rate
    axes.plot([x0, x1, x1, x0], [y0, y0, y1, y0], color="#777777", linewidth=0.8)
    place: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "va": "center"}
    axes.annotate(f"{rate}", (x1, (y0 * y1) ** 0.5), xytext=(3, 0), **place)
