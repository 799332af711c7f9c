"""Told the equation: work and precision, problem by problem; finite elements blue, nets orange."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results, StoredResult, competitor, medians
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_band, plot_series

#: method -> (title, key of its look)
ELEMENTS = {
    "N0": ("N₀", "finite element/N0"),
    "N1": ("N₁", "finite element/N1"),
    "hexP": ("p-version, hp at an edge", "finite element/hexP"),
    "adaptive": ("N₀ adaptive", "finite element/N0/adaptive"),
}
NET = ("the best net, along its training", "net/resnet")


def work_precision(problems: Sequence[str], elements: Results, nets: dict[str, Results]) -> Figure:
    """L² error against seconds; a net's line is its training, the median over seeds."""
    rows = -(-len(problems) // 2)
    figure, grid = plt.subplots(
        rows, 2, figsize=(WIDTH_INCHES, 1.75 * rows + 0.6), squeeze=False, sharex=True, sharey=True
    )
    for axes in grid.flat[len(problems) :]:
        axes.set_visible(False)
    for axes, problem in zip(grid.flat, problems, strict=False):
        _elements(axes, [r for r in elements if r.config["problem"] == problem])
        _net(axes, nets[problem])
        axes.loglog()
        axes.set_title(problem, fontsize=9, loc="left", fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel("seconds")
    for axes in grid[:, 0]:
        axes.set_ylabel("L² error")
    legend_below(figure, grid[0, 0] if len(problems) == 1 else _fullest(list(grid.flat)))
    return figure


def _fullest(panels: Sequence[Axes]) -> Axes:
    return max(panels, key=lambda axes: len(axes.get_legend_handles_labels()[0]))


def method_of(record: StoredResult) -> str:
    """N0, N1, hexP or adaptive: what the figure calls one line."""
    return "adaptive" if record.config["refine"] else str(record.config["element"])


def _elements(axes: Axes, records: Sequence[StoredResult]) -> None:
    for method, (title, key) in ELEMENTS.items():
        group = [r for r in records if method_of(r) == method and competitor(r) is not None]
        ordered = sorted(group, key=lambda record: record.values["dofs"])
        if ordered:
            x = [record.values["seconds"] for record in ordered]
            y = [record.values["l2_error"] for record in ordered]
            plot_series(axes, x, y, title, key, keys=[[record.key] for record in ordered])


def _net(axes: Axes, group: Results) -> None:
    curves = [r.arrays for r in group if "curve_l2_error" in r.arrays]
    if not curves:
        return
    length = min(len(curve["curve_seconds"]) for curve in curves)
    seconds = medians([curve["curve_seconds"][1:length] for curve in curves])
    errors = np.array([curve["curve_l2_error"][1:length] for curve in curves])
    title, key = NET
    plot_series(axes, seconds, medians(errors), title, key, keys=[group.keys()], marker="")
    if len(curves) > 1:
        plot_band(axes, seconds, errors.min(0), errors.max(0), title, key)
