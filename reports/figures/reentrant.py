"""Figures about re-entrant edges: errors of methods, losses of nets, the field at the edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results, StoredResult, median
from reports.style import ANY_COLORS, WIDTH_INCHES, look
from reports.svg import legend, legend_below, plot_median, plot_series

KEYS = {
    "N₀ uniform": "finite element/N0",
    "N₀ graded": "finite element/N0/graded",
    "N₀ adaptive": "finite element/N0 adaptive",
    "hp bricks": "finite element/hexP",
    "nodal P₁": "finite element/nodalP1",
    "nodal Q₁": "finite element/nodalQ",
    "nodal Q₁, r div": "finite element/nodalQ/weighted",
}
NET = "net/resnet"
# of a curve: its name on disk, what it is called, its look and dash
LINES = (
    ("curve_J", "loss at its points", "linear model/quadratic", "--"),
    ("curve_fine_loss", "loss by a fine rule", "linear model/linear", "-"),
    ("curve_l2_error", "relative error", NET, "-"),
)
MARKS = "osD^vPXd"
GRID = 24  # places of a common curve
TICKS = (-0.3, 0.0, 0.3)
IN_A_ROW = 4  # pictures of the edge

Arms = Mapping[str, Sequence[StoredResult]]


def story(elements: dict[str, Results], arms: Arms, norm: float, limit: float | None) -> Figure:
    """Elements: error against unknowns. Nets, an arm a panel: loss and error along training.

    Medians over seeds with their range; `limit` is where nodal elements have come to, a line
    across all panels.
    """
    shown = {label: group for label, group in elements.items() if label in KEYS and len(group)}
    panels = (1 if shown else 0) + len(arms)
    figure, axes = plt.subplots(1, panels, figsize=(WIDTH_INCHES, 3.0), sharey=True, squeeze=False)
    row = list(axes[0])
    if shown:
        _unknowns(row[0], shown, norm)
    for panel, (title, records) in zip(row[1 if shown else 0 :], arms.items(), strict=True):
        _training(panel, records, norm)
        panel.set_title(title, fontsize=8)
    for panel in row:
        panel.loglog()
        if limit is not None:
            panel.axhline(limit, color="0.5", lw=0.8, ls=":")
    row[0].set_ylabel("relative L² error; loss")
    if shown:  # above the errors there is room: the axis goes up to the losses
        row[0].set_ylim(top=max(row[0].get_ylim()[1], 30.0))
        legend(row[0], loc="upper left", fontsize=5.5, ncols=2, columnspacing=1.0)
    if arms:
        legend(row[1 if shown else 0], loc="lower left", fontsize=5.5)
    return figure


def _unknowns(axes: Axes, elements: Mapping[str, Results], norm: float) -> None:
    for label, group in elements.items():
        ordered = sorted(group, key=lambda record: record.values["dofs"])
        x = [record.values["dofs"] for record in ordered]
        y = [record.values["l2_error"] / norm for record in ordered]
        keys = [[record.key] for record in ordered]
        plot_series(axes, x, y, label, KEYS[label], keys=keys, markersize=3)
    axes.set_xlabel("unknowns")
    axes.set_title("finite elements", fontsize=8)


def _training(axes: Axes, records: Sequence[StoredResult], norm: float) -> None:
    for name, label, key, dash in LINES:
        found = common_curve(records, name)
        if found is None:
            continue
        x, y = found
        y = y * {"curve_J": 2.0, "curve_l2_error": 1.0 / norm}.get(name, 1.0)
        keys = [[record.key for record in records]]
        plot_median(axes, x, y, label, key, keys=keys, linestyle=dash)
    axes.set_xlabel("evaluations")


def common_curve(records: Sequence[StoredResult], name: str) -> tuple[Any, Any] | None:
    """The curves of several runs (runs, places) on evaluations that all of them reached."""
    kept = []
    for record in records:
        if name in record.arrays and "curve_evaluations" in record.arrays:
            work = np.asarray(record.arrays["curve_evaluations"], float)
            values = np.asarray(record.arrays[name], float)
            good = (work > 0) & np.isfinite(values) & (values > 0)
            if good.any():
                kept.append((work[good], values[good]))
    if not kept:
        return None
    low, high = max(work[0] for work, _ in kept), min(work[-1] for work, _ in kept)
    x = np.geomspace(low, max(high, low), GRID)
    rows = [np.exp(np.interp(np.log(x), np.log(w), np.log(v))) for w, v in kept]
    return x, np.stack(rows)


def scatter(kinds: Arms, wrong_above: float) -> Figure:
    """Error against loss, every run: the loss at its own points, and by the fine rule. Above the
    dotted line an end is wrong."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 3.4), sharey=True)
    for panel, name, words in (
        (axes[0], "training_loss", "loss at the points of training"),
        (axes[1], "fine_loss", "loss by a rule that resolves the edge"),
    ):
        for k, (label, records) in enumerate(kinds.items()):
            x = [record.values[name] for record in records]
            y = [record.values["l2_relative"] for record in records]
            style = {"linestyle": "none", "fillstyle": "none", **_mark(k)}
            plot_series(panel, x, y, label, NET, keys=[[r.key] for r in records], **style)
        panel.loglog()
        panel.axhline(wrong_above, color="0.5", lw=0.8, ls=":")
        panel.set_xlabel(words)
    axes[0].set_ylabel("relative L² error")
    legend_below(figure, columns=3)
    return figure


def _mark(place: int) -> dict[str, str]:
    """The look of one arm among its kind."""
    return {"color": ANY_COLORS[place % len(ANY_COLORS)], "marker": MARKS[place % len(MARKS)]}


def floors(by: Mapping[str, Mapping[str, Mapping[int, Sequence[StoredResult]]]]) -> Figure:
    """Where the loss ends, against width and against points: whole by the fine rule, dotted at the
    points of training. `by` names the axis, then the arm, then its sizes."""
    figure, axes = plt.subplots(1, len(by), figsize=(WIDTH_INCHES, 3.2), sharey=True, squeeze=False)
    for panel, (words, arms) in zip(axes[0], by.items(), strict=True):
        for k, (label, sizes) in enumerate(arms.items()):
            x = sorted(sizes)
            for name, style in (
                ("fine_loss", {"linestyle": "-"}),
                ("training_loss", {"linestyle": ":", "fillstyle": "none"}),
            ):
                y = [median([r.values[name] for r in sizes[size]]) for size in x]
                keys = [[r.key for r in sizes[size]] for size in x]
                plot_series(panel, x, y, label, NET, keys=keys, **_mark(k), **style)
            panel.lines[-1].set_label(f"_{label}")  # one entry of the legend for both
        panel.loglog()
        ticks = sorted({size for sizes in arms.values() for size in sizes})
        panel.set_xticks(ticks, [str(size) for size in ticks])
        panel.minorticks_off()
        panel.set_xlabel(words)
    axes[0, 0].set_ylabel("loss at the end")
    legend_below(figure, columns=4)
    return figure


def beside_the_edge(pictures: Sequence[tuple[str, StoredResult]]) -> Figure:
    """Arrows of the field about the edge at x₃ = ½, over the size of its error, side by side."""
    columns = [("u", None), *pictures]
    rows = -(-len(columns) // IN_A_ROW)
    across = min(IN_A_ROW, len(columns))
    size = (WIDTH_INCHES, 1.85 * rows)
    figure, grid = plt.subplots(rows, across, figsize=size, sharex=True, sharey=True, squeeze=False)
    axes = grid.ravel()
    for panel in axes[len(columns) :]:
        panel.set_visible(False)
    first = pictures[0][1].arrays
    line, exact = np.asarray(first["slice_line"]), np.asarray(first["slice_exact"])
    top = float(np.nanpercentile(np.hypot(*exact), 90))
    shade: Any = None
    for panel, (title, record) in zip(axes, columns, strict=False):
        field = exact if record is None else np.asarray(record.arrays["slice"])
        error = np.hypot(*(field - exact))
        shade = panel.pcolormesh(
            line, line, error.T, cmap="Reds", vmin=0.0, vmax=top, rasterized=True
        )
        size = np.hypot(*field)
        arrows = field / np.maximum(size, 0.3 * top)
        every = slice(None, None, 2)
        panel.quiver(
            line[every], line[every], arrows[0, every, every].T, arrows[1, every, every].T,
            color=look("linear model/linear").color, scale=11, width=0.01,
        )  # fmt: skip
        panel.plot([0, line[-1]], [0, 0], color="0.3", lw=1)
        panel.plot([0, 0], [0, line[0]], color="0.3", lw=1)
        panel.set_aspect("equal")
        panel.grid(visible=False)
        panel.set_title(title, fontsize=7)
        panel.set_xticks(TICKS)
        panel.set_yticks(TICKS)
        panel.tick_params(labelsize=6)
    for panel in grid[-1]:
        panel.set_xlabel("x₁", fontsize=7)
    for panel in grid[:, 0]:
        panel.set_ylabel("x₂", fontsize=7)
    bar = figure.colorbar(shade, ax=list(axes), shrink=0.7, pad=0.02)
    bar.set_label("size of the error", fontsize=6)
    bar.ax.tick_params(labelsize=6)
    return figure
