"""Error against mesh size: curves of finite elements, a level and a band for the nets."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results
from reports.names import element_look, element_short, element_title, net_method, net_name
from reports.style import WIDTH_INCHES, look
from reports.svg import End, name_ends, name_series, plot_series

MOST_ELEMENTS = 6


def error_against_h(
    fields: Mapping[str, tuple[Results, Results]],
    value: str = "l2_error",
    label: str = "L² error, whole domain",
    columns: int = 2,
) -> Figure:
    """An error, or an estimate of it, against h, one panel per problem: a curve per element; the
    best net as a horizontal line, and the range of all nets shaded."""
    across = min(columns, len(fields))
    rows = -(-len(fields) // across)
    size = (WIDTH_INCHES, 2.3 * rows + 0.3)
    figure, grid = plt.subplots(rows, across, figsize=size, squeeze=False, sharex=True)
    for axes in grid.flat[len(fields) :]:
        axes.set_visible(False)
    named = []
    for axes, (problem, (fem, nets)) in zip(grid.flat, fields.items(), strict=False):
        named.append((axes, [_element(axes, fem, name, value) for name in _elements(fem)]))
        axes.loglog()
        _levels(axes, nets)
        axes.set_title(problem, fontsize=9, loc="left", fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel("mesh size h, finer to the right")
    for axes in grid[:, 0]:
        axes.set_ylabel(label)
    sizes = [h for fem, _ in fields.values() for h in fem.value("h")]
    room = (max(sizes) / min(sizes)) ** 0.38 * 1.2  # right of the curves, for their names
    grid[0, 0].set_xlim(1.1 * max(sizes), min(sizes) / room)
    figure.draw_without_rendering()  # names keep their distance only once the axes have their size
    for axes, group in named:
        name_ends(axes, group)
    return figure


def _elements(fem: Results) -> list[str]:
    return list(fem.distinct("element"))[:MOST_ELEMENTS]


def _element(axes: Axes, fem: Results, element: str, value: str) -> End:
    rows = fem.select("fem", element=element).sorted_by("n")
    h, error = (np.array(rows.value(name), dtype=float) for name in ("h", value))
    label, key = element_title(rows.records[0]), element_look(element)
    plot_series(axes, h, error, label, key, keys=[[r.key] for r in rows], markersize=3)
    return End((float(h[-1]), float(error[-1])), element_short(rows.records[0]), key)


def _levels(axes: Axes, nets: Results) -> None:
    """The best and the worst net by the median over seeds, across the whole panel."""
    medians = {}
    for name in sorted({net_name(r.config) for r in nets}):
        runs = Results([r for r in nets if net_name(r.config) == name])
        level = runs.median()
        if level is not None and np.isfinite(level):
            medians[name] = (level, runs)
    if not medians:
        return
    best = min(medians, key=lambda name: medians[name][0])
    level, runs = medians[best]
    highest = max(value for value, _ in medians.values())
    key = net_method(runs.records[0].config)
    axes.axhspan(level, highest, color=look(key).color, alpha=0.12, lw=0)
    axes.axhline(level, color=look(key).color, lw=1.5)
    place = axes.get_yaxis_transform()
    text = f"best net: {best}"
    name_series(axes, (0.99, level), text, key, xycoords=place, xytext=(0, 6), ha="right")
