"""Gradients by layer: phase diagrams before training, heatmaps and τ along training."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, SymLogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.store.results import Results, StoredResult, median
from reports.names import in_place, net_title
from reports.style import WIDTH_INCHES
from reports.style import look as style
from reports.svg import plot_series

Array = NDArray[np.float64]

# Purple-white-orange: ordered for colour-blind readers too.
DIVERGING = "PuOr_r"
THRESHOLD = 3.0  # decades: the rules of `nets.gradients.verdict`
LIMIT = 100.0  # decades at which the colours saturate


def phase_diagram(results: Results) -> Figure:
    """Growth of ‖∂J/∂y‖ from the last hidden layer to the first over depth × weight scale at τ = 1,
    one panel per net; lines are where mean-field theory puts the thresholds of the verdicts."""
    chosen = results.select("gradients_at_init", tau="fixed", tau0="1", gamma=0.5)
    names = in_place("net", chosen.distinct("net"))
    figure, grid = plt.subplots(
        1, len(names), figsize=(WIDTH_INCHES, 2.7), sharey=True, squeeze=False
    )
    norm = SymLogNorm(linthresh=1.0, vmin=-LIMIT, vmax=LIMIT)
    for axes, net in zip(grid[0], names, strict=True):
        _phase_panel(axes, chosen.select("gradients_at_init", net=net), norm)
        axes.set_title(net_title(net), fontsize=9)
        axes.set_xlabel("hidden layers")
    grid[0, 0].set_ylabel("weights / He's weights")
    bar = figure.colorbar(
        ScalarMappable(norm, DIVERGING), ax=list(grid[0]), ticks=[-100, -10, -3, 0, 3, 10, 100]
    )
    bar.set_label("log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖")
    bar.ax.set_yticklabels(["−100", "−10", "−3", "0", "3", "10", "100"])
    return figure


def _phase_panel(axes: Axes, rows: Results, norm: Normalize) -> None:
    depths, scales = rows.distinct("hidden"), rows.distinct("scale")
    measured, predicted = (
        _table(rows, depths, scales, name) for name in ("log10_growth", "log10_growth_predicted")
    )
    whole = np.flatnonzero(np.isfinite(measured).all(axis=0))  # every scale was looked at there
    if whole.size:
        depths = [depths[k] for k in whole]
        measured, predicted = measured[:, whole], predicted[:, whole]
    axes.pcolormesh(cell_edges(depths), cell_edges(scales), measured, norm=norm, cmap=DIVERGING)
    if min(predicted.shape) > 1 and np.isfinite(predicted).all():
        axes.contour(
            depths,
            scales,
            predicted,
            levels=[-THRESHOLD, THRESHOLD],
            colors="black",
            linewidths=1.2,
            linestyles=["dashed", "solid"],
        )
    axes.loglog()
    axes.grid(False)
    axes.set_xticks([2, 10, 100], ["2", "10", "100"])
    axes.set_yticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    axes.minorticks_off()


def _table(rows: Results, depths: Sequence[int], scales: Sequence[float], name: str) -> Array:
    """Medians over seeds, scale by depth; NaN where no cell is."""
    table = np.full((len(scales), len(depths)), np.nan)
    for i, scale in enumerate(scales):
        for j, depth in enumerate(depths):
            cells = rows.select("gradients_at_init", hidden=depth, scale=scale)
            values = [value for value in cells.value(name) if value is not None]
            if values:
                table[i, j] = median(values)
    return table


def cell_edges(values: Sequence[float]) -> Array:
    """Borders of cells around points on a logarithmic axis."""
    logs = np.log(np.asarray(values, dtype=float))
    if len(logs) == 1:
        return np.exp(np.array([logs[0] - 0.5, logs[0] + 0.5]))
    middle = (logs[1:] + logs[:-1]) / 2
    ends = [2 * logs[0] - middle[0], 2 * logs[-1] - middle[-1]]
    return np.exp(np.concatenate([ends[:1], middle, ends[1:]]))


def layer_profiles(results: Results, hidden: int, scale: float = 1.0) -> Figure:
    """Growth of ‖∂J/∂y[k]‖ by layer at τ = 1 and τ = 1/H: measured, and dotted by mean field."""
    figure, grid = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 2.8))
    for axes, tau0 in zip(grid, ("1", "1/H"), strict=True):
        at = {"tau": "fixed", "tau0": tau0, "hidden": hidden, "scale": scale}
        chosen = results.select("gradients_at_init", **at)
        for net in in_place("net", chosen.distinct("net")):
            _profile(axes, chosen.select("gradients_at_init", net=net).records[0], net)
        axes.set_title(f"τ = {tau0}", fontsize=9)
        axes.set_xlabel("layer k")
    grid[0].set_ylabel("log₁₀ ‖∂J/∂y[k]‖ / ‖∂J/∂y[H]‖")
    grid[0].legend(fontsize=8)
    return figure


def _profile(axes: Axes, record: StoredResult, net: str) -> None:
    arrays = record.arrays
    profile, predicted = arrays["log10_y"][1:-1], arrays["log10_predicted"]
    layers, look = np.arange(1, len(profile) + 1), f"net/{net}"
    keys = [[record.key]]
    plot_series(axes, layers, profile - profile[-1], net_title(net), look, keys=keys, marker="")
    axes.plot(layers, predicted, color=style(look).color, linestyle=":", linewidth=1.2)
