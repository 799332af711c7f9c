"""Trained nets: their descent, their errors on the square, their fields, their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm, Normalize, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import NDArray

from bench.store.results import Results, StoredResult
from reports.names import net_family, net_method, net_name
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_median

Array = NDArray[np.float64]

SQUARE = (-1.0, 1.0, -1.0, 1.0)  # left, right, bottom, top
MOST_SIDE = 45  # points of a map, each way
MOST_CURVE_POINTS = 50  # each stands five times on the page: drawn, and as numbers, with its band


def training_curves(nets: Results) -> Figure:
    """MSE term against steps: the median over seeds, a band over all of them.

    One panel per size and bias ordering, so that each holds only what the paper compares.
    """
    panels = _panels(nets)
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(WIDTH_INCHES, 0.8 + 2.4 * rows),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axes, (title, runs) in zip(grid.flat, panels.items(), strict=False):
        for architecture, group in _architectures(runs).items():
            _curve(axes, architecture, group)
        axes.set_yscale("log")
        axes.set_title(title, fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("step of steepest descent")
    for axes in grid[:, 0]:
        axes.set_ylabel("1/(2N) Σ‖y − u‖²")
    legend_below(figure, columns=4)
    return figure


def _panels(nets: Results) -> dict[str, Results]:
    def title(config: Mapping[str, Any]) -> str:
        ordering = ", bias ordering" if config.get("bias_ordering") else ""
        return f"{config['hidden']}-{config['width']}{ordering}"

    titles = sorted({title(r.config) for r in nets}, key=lambda name: (len(name), name))
    return {name: Results([r for r in nets if title(r.config) == name]) for name in titles}


def _architectures(runs: Results) -> dict[str, Results]:
    def name(config: Mapping[str, Any]) -> str:
        return net_family({**config, "bias_ordering": False})

    names = sorted({name(r.config) for r in runs})
    return {label: Results([r for r in runs if name(r.config) == label]) for label in names}


def _curve(axes: Axes, label: str, runs: Results) -> None:
    histories = [r.arrays["history_mse"] for r in runs]
    steps = _thinned(min(len(history) for history in histories))
    mse = [history[steps] for history in histories]
    method = net_method(runs.records[0].config)
    plot_median(axes, steps, mse, label, method, keys=[runs.keys()])


def by_variant(nets: Results) -> dict[str, Results]:
    """Runs that differ by their seed only, under the name of the variant."""
    names = sorted({net_name(r.config) for r in nets})
    return {name: Results([r for r in nets if net_name(r.config) == name]) for name in names}


def _thinned(length: int) -> NDArray[np.int64]:
    """Places of a long history that a printed curve can show: dense at the start."""
    if length <= MOST_CURVE_POINTS:
        return np.arange(length)
    return np.unique(np.geomspace(1, length, MOST_CURVE_POINTS).astype(int) - 1)


def error_maps(runs: Sequence[StoredResult]) -> Figure:
    """|u − u_nn| on (−1, 1)² × {0.5}, one panel per run, one scale for all; the circle is r = 1."""
    errors = [_coarse(pointwise_error(run)) for run in runs]
    low = max(min(float(np.percentile(e, 5)) for e in errors), 1e-12)
    norm = LogNorm(low, max(float(e.max()) for e in errors))
    columns = min(2, len(runs))
    rows = -(-len(runs) // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(WIDTH_INCHES, 3.3 * rows), squeeze=False, sharex=True, sharey=True
    )
    for axes, run, error in zip(grid.flat, runs, errors, strict=False):
        # pixel by pixel as it was computed: drawn again, its picture weighs ten times as much
        image = axes.imshow(
            error.T, norm=norm, cmap="viridis", origin="lower", extent=SQUARE, interpolation="none"
        )
        _circle(axes, "white")
        axes.set_title(net_name(run.config), fontsize=9)
        axes.set_aspect("equal")
        axes.grid(False)
    for axes in grid.flat[len(runs) :]:
        axes.set_visible(False)
    figure.colorbar(image, ax=grid, shrink=0.8, label="|u − u_nn|")
    return figure


def _coarse(values: Array) -> Array:
    """Every second point of a fine grid: a panel shows no more."""
    return values[::2, ::2] if len(values) > MOST_SIDE else values


def pointwise_error(run: StoredResult) -> Array:
    arrays = run.arrays
    return np.linalg.norm(arrays["square_u"] - arrays["square_u_nn"], axis=0)


def _sides(values: Array) -> tuple[Array, Array]:
    side = np.linspace(-1, 1, len(values))
    return side, side


def _circle(axes: Axes, color: str) -> None:
    axes.add_patch(Circle((0.0, 0.0), 1.0, fill=False, color=color, linewidth=1))


def quivers(run: StoredResult) -> Figure:
    """u, u_nn (first two components) and the pointwise error on the disc, at x₃ = 0.5."""
    arrays = run.arrays
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(WIDTH_INCHES, 2.9), sharex=True, sharey=True
    )
    x1, x2 = np.meshgrid(*_sides(arrays["square_u"][0]), indexing="ij")
    disc = x1**2 + x2**2 <= 1
    coarse = np.zeros_like(disc)
    coarse[::5, ::5] = True
    shown = disc & coarse
    panels = ((left, "square_u", "u"), (middle, "square_u_nn", "u_nn"))
    for axes, name, title in panels:
        u = arrays[name]
        axes.quiver(
            x1[shown], x2[shown], u[0][shown], u[1][shown], angles="xy", scale=6, width=0.006
        )
        axes.set_title(title)
    error = np.where(
        disc, np.linalg.norm((arrays["square_u"] - arrays["square_u_nn"])[:2], axis=0), np.nan
    )
    image = right.pcolormesh(x1, x2, error, cmap="viridis", rasterized=True)
    right.set_title("|u − u_nn| in the plane")
    figure.colorbar(image, ax=right, shrink=0.7)
    for axes in (left, middle, right):
        axes.set_aspect("equal")
        axes.grid(False)
        _circle(axes, "#777777")
    return figure


Weights = Mapping[str, Array]


def net_drawings(nets: Sequence[tuple[str, Weights]]) -> Figure:
    """Nets as graphs: dots are biases, lines are weights, one colour scale for each kind."""
    bias = max(float(np.abs(w[k]).max()) for _, w in nets for k in w if k.startswith("b."))
    weight = max(float(np.abs(w[k]).max()) for _, w in nets for k in w if k.startswith("W."))
    dots, lines = TwoSlopeNorm(0, -bias, bias), Normalize(0, weight)
    figure, grid = plt.subplots(
        1, len(nets), figsize=(WIDTH_INCHES, 3.4), squeeze=False, sharey=True
    )
    for axes, (title, weights) in zip(grid[0], nets, strict=True):
        _draw_net(axes, weights, dots, lines)
        axes.set_title(title, fontsize=9)
        axes.set_axis_off()
    figure.colorbar(plt.cm.ScalarMappable(dots, "PuOr"), ax=grid, shrink=0.6, label="bias")
    figure.colorbar(plt.cm.ScalarMappable(lines, "Greys"), ax=grid, shrink=0.6, label="|weight|")
    return figure


def _draw_net(axes: Axes, weights: Weights, dots: Normalize, lines: Normalize) -> None:
    depth = sum(name.startswith("W.") for name in weights)
    sizes = [weights["W.0"].shape[1], *(weights[f"W.{l}"].shape[0] for l in range(depth))]
    places = [np.linspace(-1, 1, size) * min(1.0, size / 10) for size in sizes]
    for l in range(depth):
        matrix = np.abs(weights[f"W.{l}"])
        targets, sources = np.meshgrid(places[l + 1], places[l], indexing="ij")
        ends = np.stack([np.full(matrix.size, l), sources.ravel()], axis=1)
        starts = np.stack([np.full(matrix.size, l + 1), targets.ravel()], axis=1)
        order = np.argsort(matrix.ravel())
        segments = np.stack([ends, starts], axis=1)[order]
        collection = LineCollection(list(segments), cmap="Greys", norm=lines, linewidths=0.7)
        collection.set_array(matrix.ravel()[order])
        axes.add_collection(collection)
        if f"b.{l}" in weights:
            axes.scatter(
                np.full(sizes[l + 1], l + 1), places[l + 1], c=weights[f"b.{l}"], cmap="PuOr",
                norm=dots, s=26, edgecolors="#333333", linewidths=0.5, zorder=3,
            )  # fmt: skip
    for l in (0, depth):
        axes.scatter(np.full(sizes[l], l), places[l], color="#bbbbbb", s=18, zorder=3)
    axes.set_xlim(-0.3, depth + 0.3)
    axes.set_ylim(-1.1, 1.1)
