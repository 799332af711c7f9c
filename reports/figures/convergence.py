"""Error against mesh size: finite elements fall, nets stay where they are."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.results import Results
from reports.names import ELEMENTS, net_method, net_name
from reports.style import WIDTH_INCHES, look
from reports.svg import legend_below, plot_series


def error_against_h(fem: Results, nets: Results) -> Figure:
    """L² error on the cube against h: one curve an element, one level a net (median over seeds,
    band over all of them)."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, WIDTH_INCHES * 0.75))
    for element in fem.distinct("element"):
        rows = Results([r for r in fem if r.config["element"] == element]).sorted_by("n")
        label = ELEMENTS.get(element, element)
        plot_series(axes, rows.value("h"), rows.value("l2_error"), label, element)
    _levels(axes, nets)
    axes.loglog()
    rate_triangle(axes, rate=1)
    axes.set_xlabel("mesh size h (cell diameter)")
    axes.set_ylabel("L² error on the cube")
    legend_below(figure, axes)
    return figure


def _levels(axes: Axes, nets: Results) -> None:
    """A net knows no mesh: its error is one level, drawn over the whole range of h."""
    left, right = axes.get_xlim()
    ends = [max(left, 1e-3), right]
    for label in sorted({net_name(r.config) for r in nets}):
        runs = Results([r for r in nets if net_name(r.config) == label])
        errors = [e for e in runs.value("l2_error") if e is not None]
        if not errors:
            continue
        method = net_method(runs.records[0].config)
        level = float(np.median(errors))
        plot_series(axes, ends, [level, level], label, method, marker="")
        if len(errors) > 1:
            axes.fill_between(ends, min(errors), max(errors), alpha=0.15, color=look(method).color)


def rate_triangle(axes: Axes, rate: int) -> None:
    """A slope to compare with, in the lower left: error ∝ h^rate. Axes must be logarithmic."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    x0 = left * (right / left) ** 0.08
    x1 = left * (right / left) ** 0.28
    y0 = low * (high / low) ** 0.06
    y1 = y0 * (x1 / x0) ** rate
    axes.plot([x0, x1, x1, x0], [y0, y0, y1, y0], color="#777777", linewidth=0.8)
    axes.annotate(
        f"{rate}", (x1, (y0 * y1) ** 0.5), xytext=(3, 0), textcoords="offset points", fontsize=8
    )
