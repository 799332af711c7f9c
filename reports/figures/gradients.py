"""Gradients by layer: phase diagrams before training, heatmaps and τ along training."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, SymLogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.store.results import Results, StoredResult, median
from reports.names import in_place, net_method, net_title
from reports.style import WIDTH_INCHES
from reports.style import look as style
from reports.svg import legend, plot_series

Array = NDArray[np.float64]

# Purple-white-orange and the yellow-blue ramp: ordered for colour-blind readers too.
DIVERGING, SEQUENTIAL = "PuOr_r", "cividis"
THRESHOLD = 3.0  # decades: the rules of `nets.gradients.verdict`
LIMIT = 100.0  # decades at which the colours saturate
RESOLVED = -15.0  # decades below the largest singular value: the rest is rounding
LEGEND = {"fontsize": 8}
MOST_STEPS = 40  # of a training, in a panel of half the width


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
    labels = "layer k", "log₁₀ ‖∂J/∂y[k]‖ / ‖∂J/∂y[H]‖"
    return _large_and_small_steps(results, hidden, scale, _profile, labels)


def _profile(axes: Axes, record: StoredResult, net: str) -> None:
    arrays = record.arrays
    profile, predicted = arrays["log10_y"][1:-1], arrays["log10_predicted"]
    layers, look = np.arange(1, len(profile) + 1), f"net/{net}"
    keys = [[record.key]]
    plot_series(axes, layers, profile - profile[-1], net_title(net), look, keys=keys, marker="")
    axes.plot(layers, predicted, color=style(look).color, linestyle=":", linewidth=1.2)


def jacobian_spectra(results: Results, hidden: int, scale: float = 1.0) -> Figure:
    """log₁₀ of the singular values of dy[H]/dy[1] at τ = 1 and τ = 1/H, averaged over samples, as
    far as float64 resolves them."""
    labels = "number of the singular value", "log₁₀ singular values of dy[H]/dy[1]"
    return _large_and_small_steps(results, hidden, scale, _spectrum, labels)


def _spectrum(axes: Axes, record: StoredResult, net: str) -> None:
    spectrum = record.arrays["log10_spectrum"]
    resolved = np.where(spectrum > spectrum[0] + RESOLVED, spectrum, np.nan)
    index = np.arange(1, len(resolved) + 1)
    plot_series(axes, index, resolved, net_title(net), f"net/{net}", keys=[[record.key]])


def _large_and_small_steps(
    results: Results,
    hidden: int,
    scale: float,
    draw: Callable[[Axes, StoredResult, str], None],
    labels: tuple[str, str],
) -> Figure:
    """One panel at τ = 1 and one at τ = 1/H, with a curve per net of that depth."""
    figure, grid = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 2.8))
    for axes, tau0 in zip(grid, ("1", "1/H"), strict=True):
        chosen = results.select(
            "gradients_at_init", tau="fixed", tau0=tau0, hidden=hidden, scale=scale
        )
        for net in in_place("net", chosen.distinct("net")):
            draw(axes, chosen.select("gradients_at_init", net=net).records[0], net)
        axes.set_title(f"τ = {tau0}", fontsize=9)
        axes.set_xlabel(labels[0])
    grid[0].set_ylabel(labels[1])
    legend(grid[0], **LEGEND)
    return figure


def gradient_heatmaps(results: Results) -> Figure:
    """log₁₀ ‖∂J/∂W[k]‖ by layer and step for τ fixed and τ learned from the same start, side by
    side in one colour scale, with J below; the first seed."""
    runs = [_first(results, tau) for tau in ("fixed", "learned")]
    figure, grid = plt.subplots(
        2, 2, figsize=(WIDTH_INCHES, 4.2), sharex=True, height_ratios=[3, 1], sharey="row"
    )
    shown = [_evenly(len(record.arrays["step"])) for record in runs]
    profiles = [r.arrays["log10_W"][at, 1:-1] for r, at in zip(runs, shown, strict=True)]
    finite = np.concatenate([profile[np.isfinite(profile)] for profile in profiles])
    norm = Normalize(*np.quantile(finite, [0.01, 0.99]))
    for column, (record, profile, at) in enumerate(zip(runs, profiles, shown, strict=True)):
        arrays = record.arrays
        layers = np.arange(profile.shape[1] + 1) + 0.5
        steps = np.append(arrays["step"][at], arrays["step"][-1] + 1)
        heat, curve = grid[:, column]
        heat.pcolormesh(steps, layers, profile.T, norm=norm, cmap=SEQUENTIAL, rasterized=True)
        heat.set_title(f"τ {record.config['tau']}, τ₀ = {record.config['tau0']}", fontsize=9)
        heat.grid(False)
        label, method = f"J, τ {record.config['tau']}", net_method(record.config)
        x, y = arrays["step"][at], arrays["J"][at]
        plot_series(curve, x, y, label, method, keys=[[record.key]], marker="")
        curve.set_yscale("log")
        curve.set_xlabel("step")
    grid[0, 0].set_ylabel("layer k")
    grid[1, 0].set_ylabel("J")
    bar = figure.colorbar(ScalarMappable(norm, SEQUENTIAL), ax=list(grid[0]))
    bar.set_label("log₁₀ ‖∂J/∂W[k]‖")
    return figure


def _evenly(length: int) -> NDArray[np.int64]:
    """Places of a long history that a panel has room for, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, min(length, MOST_STEPS)).astype(np.int64))


def _first(results: Results, tau: str, tau0: str = "1/H") -> StoredResult:
    return results.select("gradients_in_training", tau=tau, tau0=tau0).sorted_by("seed").records[0]


def tau_trajectories(results: Results) -> Figure:
    """τ of every layer along training, from each start it was learned from; the first seed."""
    learned = results.select("gradients_in_training", tau="learned")
    starts = learned.distinct("tau0")
    figure, grid = plt.subplots(1, len(starts), figsize=(WIDTH_INCHES, 2.6), squeeze=False)
    layers = Normalize(0, 1)
    for axes, tau0 in zip(grid[0], starts, strict=True):
        record = _first(learned, "learned", tau0)
        arrays = record.arrays
        layers = Normalize(0, arrays["tau"].shape[1] - 1)
        colors = plt.get_cmap(SEQUENTIAL)
        at = _evenly(len(arrays["step"]))
        for k, trajectory in enumerate(arrays["tau"][at].T):
            axes.plot(arrays["step"][at], trajectory, color=colors(layers(k)), linewidth=0.8)
        axes.set_title(f"τ₀ = {tau0}", fontsize=9)
        axes.set_xlabel("step")
    grid[0, 0].set_ylabel("τ[k]")
    figure.colorbar(ScalarMappable(layers, SEQUENTIAL), ax=list(grid[0])).set_label("layer k")
    return figure
