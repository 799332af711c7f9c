"""The paper's nets: the time their training takes, and their gradients layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bench.store.results import Results, medians
from reports.names import net_family, net_method
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_median, plot_series

Array = NDArray[np.float64]
POINTS = 50  # of a curve over time


def cost_of_training(nets: Results) -> Figure:
    """MSE against seconds, one panel per depth; at each time the median over seeds."""
    figure, panels = _panels(nets, 2.5)
    for axes, runs in panels:
        for name, group in _families(runs):
            _over_time(axes, name, group)
        axes.loglog()
        axes.set_xlabel("seconds, one thread")
    panels[0][0].set_ylabel("1/(2N) Σ‖y − u‖²")
    legend_below(figure, columns=4)
    return figure


def gradients_by_layer(nets: Results) -> Figure:
    """‖∂J/∂W[k]‖ of every layer, before training (dashed) and at its end (solid)."""
    figure, panels = _panels(nets, 2.2)
    for axes, runs in panels:
        for name, group in _families(runs):
            histories = [r.arrays["history_grad_W"] for r in group]
            method = net_method(group.records[0].config)
            for at, style in ((0, ":"), (-1, "-")):
                norms = medians(np.array([history[at] for history in histories]))
                label = name if at else f"_{name}, before"
                layers = np.arange(len(norms))
                drawn: dict[str, Any] = {"linestyle": style, "markersize": 3.5}
                plot_series(axes, layers, norms, label, method, keys=[group.keys()], **drawn)
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("layer k")
    panels[0][0].set_ylabel("‖∂J/∂W[k]‖")
    legend_below(figure, columns=4)
    return figure


def _panels(nets: Results, height: float) -> tuple[Figure, list[tuple[Axes, Results]]]:
    """One panel per number of hidden layers and width, side by side."""
    sizes = sorted({(r.config["hidden"], r.config["width"]) for r in nets})
    figure, grid = plt.subplots(
        1, len(sizes), figsize=(WIDTH_INCHES, height), sharey=True, squeeze=False
    )
    panels = []
    for axes, (hidden, width) in zip(grid[0], sizes, strict=True):
        axes.set_title(f"{hidden}-{width}", fontsize=9, loc="left", fontweight="bold")
        panels.append((axes, nets.select("net", hidden=hidden, width=width)))
    return figure, panels


def _families(runs: Results) -> Iterator[tuple[str, Results]]:
    for name in sorted({net_family(r.config) for r in runs}):
        yield name, Results([r for r in runs if net_family(r.config) == name])


def _over_time(axes: Axes, name: str, group: Results) -> None:
    """Curves of several seeds at common times; a training that has ended stays where it is."""
    seconds = [np.asarray(r.arrays["history_seconds"], dtype=float) for r in group]
    errors = [np.asarray(r.arrays["history_mse"], dtype=float) for r in group]
    begun = [s[s > 0] for s in seconds]
    if not all(map(len, begun)):
        return
    times = np.geomspace(max(s[0] for s in begun), max(s[-1] for s in begun), POINTS)
    last = [np.searchsorted(s, times, side="right") - 1 for s in seconds]
    table = [e[at] for e, at in zip(errors, last, strict=True)]
    method = net_method(group.records[0].config)
    plot_median(axes, times, table, name, method, keys=[group.keys()])
