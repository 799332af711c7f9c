"""The widened atlas: activations, starts, widths, and a memory that decays by itself."""

from __future__ import annotations

from collections.abc import Mapping

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
from reports.style import ANY_COLORS, WIDTH_INCHES
from reports.svg import legend, legend_below

Array = NDArray[np.float64]
EDGE = ANY_COLORS[2]
KIND, DECAY, XI = "mean_field", "memory_decay", "correlation_length"
NORMALISATIONS = {
    "none": "as they are",
    "start": "start scaled to variance one",
    "layer": "LayerNorm",
}


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


def normalised_feedforward(nets: Results) -> Results:
    return nets.select(KIND, net="feedforward", scale=1.0, normalisation="layer")


def phases_by_activation(nets: Results, edges: Mapping[str, float]) -> Figure:
    """Growth of ‖∂J/∂y‖ over depth × weight scale at τ = 1, a row per net and a column per
    activation; black lines are where mean field puts the thresholds and, dotted, no growth at all;
    green is the edge of chaos of the infinitely deep feedforward net."""
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
            if net == "feedforward" and name in edges:
                axes.axhline(edges[name], color=EDGE, linewidth=1.6)
        row[0].set_ylabel(net_title(net), fontsize=8)
    for axes, name in zip(grid[0], names, strict=True):
        axes.set_title(name, fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel("hidden layers", fontsize=8)
    bar = figure.colorbar(ScalarMappable(norm, DIVERGING), ax=grid, ticks=[-100, -3, 0, 3, 100])
    bar.set_label("log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖")
    bar.ax.set_yticklabels(["−100", "−3", "0", "3", "100"])
    return figure


def edge_scales(results: Results) -> dict[str, float]:
    """By activation, the edge of chaos without biases as a scale of He's weights, √(w/2)."""
    return {
        record.config["activation"]: float(np.sqrt(record.values["edge_without_biases"] / 2))
        for record in results.select(XI)
    }


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


def growth_by_width(nets: Results) -> Figure:
    """Growth by weight scale for several widths, one panel per net: medians with a band over
    seeds, dotted by mean field at the largest width."""
    depth = max(nets.distinct("hidden"), default=0)
    chosen = nets.select(KIND, hidden=depth)
    names = in_place("net", chosen.distinct("net"))
    figure, grid = plt.subplots(1, len(names), figsize=(WIDTH_INCHES, 2.8), squeeze=False)
    for axes, net in zip(grid[0], names, strict=True):
        cells = chosen.select(KIND, net=net)
        for color, width in zip(ANY_COLORS, cells.distinct("width"), strict=False):
            at = cells.select(KIND, width=width)
            places, middle, low, high = medians(at, "log10_growth", "scale")
            axes.plot(places, middle, color=color, marker=".", label=f"{width} wide")
            axes.fill_between(places, low, high, color=color, alpha=0.2, linewidth=0)
        places, middle, *_ = medians(at, "log10_growth_predicted", "scale")
        axes.plot(places, middle, color="black", linestyle=":", label="mean field")
        axes.set_xscale("log")
        axes.set_xticks([0.25, 0.5, 1, 2, 4], ["¼", "½", "1", "2", "4"])
        axes.minorticks_off()
        axes.set_title(f"{net_title(net)}, H = {depth}", fontsize=8)
        axes.set_xlabel("weights / He's weights", fontsize=8)
        for level in (-THRESHOLD, THRESHOLD):
            axes.axhline(level, color="#888888", linewidth=0.6)
    grid[0, 0].set_ylabel("log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖")
    legend(grid[0, 0], fontsize=6)
    return figure


def growth_by_start(nets: Results) -> Figure:
    """Growth in feedforward nets by start and activation, as they are and normalised in two ways;
    marks are medians, lines reach over all seeds, crosses are mean field."""
    nets = nets.select(KIND, net="feedforward", scale=1.0)
    normal = normalised_feedforward(nets)
    width, depth = (max(normal.distinct(name), default=0) for name in ("width", "hidden"))
    nets = nets.select(KIND, width=width, hidden=depth)
    inits, activations = nets.distinct("init"), normal.distinct("activation")
    kinds = [name for name in NORMALISATIONS if len(nets.select(KIND, normalisation=name))]
    figure, grid = plt.subplots(
        1, len(kinds), figsize=(WIDTH_INCHES, 2.8), sharey=True, squeeze=False
    )
    for axes, kind in zip(grid[0], kinds, strict=True):
        for k, (color, init) in enumerate(zip(ANY_COLORS, inits, strict=False)):
            for j, name in enumerate(activations):
                at = nets.select(KIND, init=init, activation=name, normalisation=kind)
                label = init if j == 0 else None
                _mark(axes, at, j + (k - (len(inits) - 1) / 2) * 0.18, color, label)
        axes.set_xticks(range(len(activations)), activations, fontsize=7, rotation=30)
        axes.set_title(NORMALISATIONS[kind], fontsize=8)
        axes.set_yscale("symlog", linthresh=1.0)
        axes.axhspan(-THRESHOLD, THRESHOLD, color=EDGE, alpha=0.08, linewidth=0)
    grid[0, 0].set_ylabel("log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖")
    legend_below(figure, columns=4)
    return figure


def _mark(axes: Axes, nets: Results, x: float, color: str, label: str | None) -> None:
    """Median and range over seeds, and a cross for what mean field says."""
    places, middle, low, high = medians(nets, "log10_growth", "activation")
    if not places:
        return
    axes.plot([x, x], [low[0], high[0]], color=color, linewidth=1)
    axes.plot([x], middle, "o", color=color, ms=4, label=label)
    predicted = medians(nets, "log10_growth_predicted", "activation")[1]
    axes.plot([x], predicted, "x", color="black", ms=4)


def growth_with_layer_norm(nets: Results) -> Figure:
    """Growth by depth with LayerNorm before every activation, a panel per net: medians with bands
    over seeds, dotted by mean field. The scale of the weights has no part in it."""
    names = in_place("net", nets.distinct("net"))
    figure, grid = plt.subplots(1, len(names), figsize=(WIDTH_INCHES, 2.7), squeeze=False)
    for axes, net in zip(grid[0], names, strict=True):
        of_net = nets.select(KIND, net=net)
        for color, name in zip(ANY_COLORS, of_net.distinct("activation"), strict=False):
            at = of_net.select(KIND, activation=name)
            depths, middle, low, high = medians(at, "log10_growth", "hidden")
            axes.plot(depths, middle, color=color, label=name, marker=".")
            axes.fill_between(depths, low, high, color=color, alpha=0.2, linewidth=0)
            places, predicted, *_ = medians(at, "log10_growth_predicted", "hidden")
            axes.plot(places, predicted, color=color, linestyle=":", linewidth=1.2)
        axes.axhspan(-THRESHOLD, THRESHOLD, color=EDGE, alpha=0.08, linewidth=0)
        axes.set_title(net_title(net), fontsize=9)
        axes.set_xlabel("hidden layers")
    grid[0, 0].set_ylabel("log₁₀ ‖∂J/∂y[1]‖ / ‖∂J/∂y[H]‖")
    legend(grid[0, 0], fontsize=7)
    return figure


def memory_decay(results: Results) -> Figure:
    """|∂y[H]/∂y[1]| of a Fractional-DNN without weights by depth: algebraic decay H^{-(1-γ)}."""
    cells = results.select(DECAY)
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, 2.6))
    for color, (gamma, slope) in zip(ANY_COLORS, decay_slopes(cells).items(), strict=False):
        found = cells.select(DECAY, gamma=gamma).sorted_by("hidden")
        depths = np.array([record.config["hidden"] for record in found], dtype=float)
        values = 10 ** np.array(found.value("log10_decay"), dtype=float)
        label = f"γ = {gamma:g}: slope {slope:.3f}, −(1−γ) = {gamma - 1:g}"
        axes.loglog(depths, values, "o", color=color, ms=4, label=label)
        line = values[-1] * (depths / depths[-1]) ** (gamma - 1)
        axes.loglog(depths, line, color=color, linewidth=1)
    axes.set_xlabel("hidden layers H")
    axes.set_ylabel("|∂y[H]/∂y[1]| without weights")
    legend(axes, fontsize=7)
    return figure


def decay_slopes(cells: Results) -> dict[float, float]:
    """By γ, where two depths are there: one point has no slope."""
    orders = ((gamma, cells.select(DECAY, gamma=gamma)) for gamma in cells.distinct("gamma"))
    return {gamma: decay_slope(found) for gamma, found in orders if len(found) > 1}


def decay_slope(cells: Results) -> float:
    """The exponent between the two deepest nets of one γ."""
    found = cells.sorted_by("hidden").records[-2:]
    (a, b), (u, v) = (
        [record.config["hidden"] for record in found],
        [record.values["log10_decay"] for record in found],
    )
    return float((v - u) / (np.log10(b) - np.log10(a)))
