"""Phase diagrams: where gradients vanish and explode before training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, SymLogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.store.results import Results, median
from reports.names import in_place, net_title
from reports.style import WIDTH_INCHES
from reports.tables import grouped

Array = NDArray[np.float64]

# Purple-white-orange: ordered for colour-blind readers too.
DIVERGING = "PuOr_r"
THRESHOLD = 3.0  # decades: the rules of `nets.gradients.verdict`
LIMIT = 100.0  # decades at which the colours saturate
TICKS = {-100: "−100", -10: "−10", -3: "−3", 0: "0", 3: "3", 10: "10", 100: "100"}


def phase_diagram(results: Results) -> Figure:
    """Growth of ‖∂J/∂y‖ from the last hidden layer to the first over depth × weight scale at τ = 1,
    one panel per net."""
    chosen = results.select("gradients_at_init", tau="fixed", tau0="1", gamma=0.5)
    names = in_place("net", chosen.distinct("net"))
    row = {net_title(net): chosen.select("gradients_at_init", net=net) for net in names}
    return _phases({"weights / He's weights": row}, 2.7)


def phases_by_activation(nets: Results) -> Figure:
    """The same, a row per net and a column per activation."""
    widths = nets.distinct("width")
    kinds = {w: nets.select("mean_field", width=w).distinct("activation") for w in widths}
    width = max(widths, key=lambda w: len(kinds[w]))  # at which several were looked at
    rows = {
        net_title(net): {
            name: nets.select("mean_field", width=width, net=net, activation=name)
            for name in kinds[width]
        }
        for net in in_place("net", nets.select("mean_field", width=width).distinct("net"))
    }
    return _phases(rows, 1.5 * len(rows) + 0.5)


def _phases(rows: Mapping[str, Mapping[str, Results]], height: float) -> Figure:
    """Rows of panels by the label of their axis, and titles of the columns."""
    titles = list(next(iter(rows.values())))
    size = (WIDTH_INCHES, height)
    figure, grid = plt.subplots(
        len(rows), len(titles), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    norm = SymLogNorm(linthresh=1.0, vmin=-LIMIT, vmax=LIMIT)
    for row, (label, panels) in zip(grid, rows.items(), strict=True):
        for axes, cells in zip(row, panels.values(), strict=True):
            if len(cells):  # of a run that has just begun some have none
                _panel(axes, cells, norm)
        row[0].set_ylabel(label)
    for axes, title in zip(grid[0], titles, strict=True):
        axes.set_title(title, fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("hidden layers")
    bar = figure.colorbar(ScalarMappable(norm, DIVERGING), ax=grid, ticks=[*TICKS])
    bar.ax.set_title("growth, log₁₀", fontsize=8)
    bar.ax.set_yticklabels([*TICKS.values()])
    return figure


def _panel(axes: Axes, cells: Results, norm: Normalize) -> None:
    """Measured growth as colours; lines are where mean-field theory puts the thresholds of the
    verdicts and, dotted, no growth."""
    depths, scales = cells.distinct("hidden"), cells.distinct("scale")
    measured, predicted = (
        _table(cells, depths, scales, name) for name in ("log10_growth", "log10_growth_predicted")
    )
    seen = np.isfinite(measured)
    common = np.flatnonzero(seen.all(axis=1))  # scales that were looked at everywhere
    whole = np.flatnonzero(seen.all(axis=0))  # depths with every scale
    if common.size * len(depths) < whole.size * len(scales):
        depths = [depths[k] for k in whole]
        measured, predicted = measured[:, whole], predicted[:, whole]
    elif common.size:
        scales = [scales[k] for k in common]
        measured, predicted = measured[common], predicted[common]
    axes.pcolormesh(cell_edges(depths), cell_edges(scales), measured, norm=norm, cmap=DIVERGING)
    if min(predicted.shape) > 1 and np.isfinite(predicted).all():
        axes.contour(
            depths, scales, predicted, levels=[-THRESHOLD, 0.0, THRESHOLD], colors="black",
            linewidths=[1.2, 0.8, 1.2], linestyles=["dashed", "dotted", "solid"],
        )  # fmt: skip
    axes.loglog()
    axes.grid(False)
    shown = [depth for depth in depths if depth in (2, 10, 100)] or [depths[0], depths[-1]]
    axes.set_xticks(shown, [str(depth) for depth in shown])
    axes.set_yticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
    axes.minorticks_off()


def _table(cells: Results, depths: Sequence[int], scales: Sequence[float], name: str) -> Array:
    """Medians over seeds, scale by depth; NaN where no cell is."""
    table = np.full((len(scales), len(depths)), np.nan)
    for (scale, depth), group in grouped(cells, "scale", "hidden").items():
        values = [value for value in group.value(name) if value is not None]
        if values:
            table[scales.index(scale), depths.index(depth)] = median(values)
    return table


def cell_edges(values: Sequence[float]) -> Array:
    """Borders of cells around points on a logarithmic axis."""
    logs = np.log(np.asarray(values, dtype=float))
    if len(logs) == 1:
        return np.exp(np.array([logs[0] - 0.5, logs[0] + 0.5]))
    middle = (logs[1:] + logs[:-1]) / 2
    ends = [2 * logs[0] - middle[0], 2 * logs[-1] - middle[-1]]
    return np.exp(np.concatenate([ends[:1], middle, ends[1:]]))
