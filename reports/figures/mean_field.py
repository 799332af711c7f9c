"""Phase diagrams of gradients by architecture and activation."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.store.results import Results, median
from reports.figures.gradients import DIVERGING, LIMIT, THRESHOLD, cell_edges
from reports.names import in_place, net_title
from reports.style import WIDTH_INCHES

Array = NDArray[np.float64]
KIND = "mean_field"


def medians(cells: Results, name: str, over: str) -> tuple[list[float], Array, Array, Array]:
    """Places, median, lowest and highest over seeds of a value, by one entry of the config."""
    places = cells.distinct(over)
    rows = [
        [v for v in cells.select(KIND, **{over: place}).value(name) if v is not None]
        for place in places
    ]
    known = [k for k, row in enumerate(rows) if row]
    low, middle, high = (
        np.array([function(rows[k]) for k in known]) for function in (min, median, max)
    )
    return [places[k] for k in known], middle, low, high


def phases_by_activation(nets: Results) -> Figure:
    """Growth of ‖∂J/∂y‖ over depth × weight scale at τ = 1, a row per net and a column per
    activation; lines are where mean field puts the thresholds and, dotted, no growth at all."""
    chosen = nets.select(KIND, width=_width_of_activations(nets))
    names, kinds = chosen.distinct("activation"), in_place("net", chosen.distinct("net"))
    size = (WIDTH_INCHES, 1.5 * len(kinds) + 0.5)
    figure, grid = plt.subplots(
        len(kinds), len(names), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    norm = SymLogNorm(linthresh=1.0, vmin=-LIMIT, vmax=LIMIT)
    for row, net in zip(grid, kinds, strict=True):
        for axes, name in zip(row, names, strict=True):
            _panel(axes, chosen.select(KIND, net=net, activation=name), norm)
        row[0].set_ylabel(net_title(net), fontsize=8)
    for axes, name in zip(grid[0], names, strict=True):
        axes.set_title(name, fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel("hidden layers", fontsize=8)
    bar = figure.colorbar(ScalarMappable(norm, DIVERGING), ax=grid, ticks=[-100, -3, 0, 3, 100])
    bar.set_label("log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖")
    bar.ax.set_yticklabels(["−100", "−3", "0", "3", "100"])
    return figure


def _width_of_activations(cells: Results) -> int:
    """The width at which several activations were looked at."""
    widths = cells.distinct("width")
    return max(widths, key=lambda w: len(cells.select(KIND, width=w).distinct("activation")))


def _panel(axes: Axes, cells: Results, norm: SymLogNorm) -> None:
    depths, scales = cells.distinct("hidden"), cells.distinct("scale")
    if not depths:  # of a run that has just begun
        return
    tables = {}
    for name in ("log10_growth", "log10_growth_predicted"):
        tables[name] = np.full((len(scales), len(depths)), np.nan)
        for j, depth in enumerate(depths):
            found, middle, *_ = medians(cells.select(KIND, hidden=depth), name, "scale")
            for scale, value in zip(found, middle, strict=True):
                tables[name][scales.index(scale), j] = value
    axes.pcolormesh(
        cell_edges(depths), cell_edges(scales), tables["log10_growth"], norm=norm, cmap=DIVERGING
    )
    predicted = tables["log10_growth_predicted"]
    if min(predicted.shape) > 1 and np.isfinite(predicted).all():
        axes.contour(
            depths, scales, predicted, levels=[-THRESHOLD, 0.0, THRESHOLD], colors="black",
            linewidths=[1.0, 0.8, 1.0], linestyles=["dashed", "dotted", "solid"],
        )  # fmt: skip
    axes.loglog()
    axes.grid(False)
    shown = [depth for depth in depths if depth in (depths[0], depths[-1], 10, 20)]
    axes.set_xticks(shown, [str(depth) for depth in shown])
    axes.set_yticks([0.25, 1, 4], ["¼", "1", "4"])
    axes.minorticks_off()
    axes.tick_params(labelsize=7)
