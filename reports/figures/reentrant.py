"""Figures about re-entrant edges: errors of methods, losses of nets, the field at the edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results, StoredResult, median
from reports.formatting import two_digits
from reports.style import WIDTH_INCHES
from reports.svg import End, make_room, name_ends, plot_median, plot_series

KEYS = {
    "N₀ uniform": "finite element/N0",
    "N₀ graded": "finite element/N0/graded",
    "N₀ adaptive": "finite element/N0 adaptive",
    "hp bricks": "finite element/hexP",
    "nodal P₁": "finite element/nodalP1",
    "nodal P₁, r div": "finite element/nodalP1/weighted",
}
NET = "net/resnet"
# of a curve: its name on disk, what it is called, its look and dash
LINES = (
    ("curve_J", "loss, its points", "linear model/quadratic", "--"),
    ("curve_fine_loss", "loss, fine rule", "linear model/linear", "-"),
    ("curve_l2_error", "error, prism", NET, "-"),
)
GRID = 24  # places of a common curve
TICKS = (-0.3, 0.0, 0.3)

Arms = Mapping[str, Sequence[StoredResult]]


def story(elements: Mapping[str, Results], arms: Arms, norm: float, limit: float | None) -> Figure:
    """Elements: error against unknowns. Nets, an arm a panel: loss and error along training.

    Medians over seeds with their range; `limit` is where nodal elements have come to, a line
    across all panels.
    """
    shown = {label: group for label, group in elements.items() if label in KEYS}
    panels = (1 if shown else 0) + len(arms)
    figure, grid = plt.subplots(1, panels, figsize=(WIDTH_INCHES, 2.9), sharey=True, squeeze=False)
    row = list(grid[0])
    ends = {row[0]: _unknowns(row[0], shown, norm)} if shown else {}
    for panel, (title, records) in zip(row[1 if shown else 0 :], arms.items(), strict=True):
        ends[panel] = _training(panel, records, norm)
        panel.set_title(title, fontsize=9)
    for panel, its in ends.items():
        panel.loglog()
        panel.autoscale_view()
        make_room(panel, its, panels=panels)
        if limit is not None:
            panel.axhline(limit, color="0.5", lw=0.8, ls=":")
    row[0].set_ylabel("relative L² error, prism; loss")
    figure.draw_without_rendering()  # names keep their distance only once the axes have their size
    for panel, its in ends.items():
        name_ends(panel, its)
    return figure


def _unknowns(axes: Axes, elements: Mapping[str, Results], norm: float) -> list[End]:
    ends = []
    for label, group in elements.items():
        ordered = sorted(group, key=lambda record: record.values["dofs"])
        x = [float(record.values["dofs"]) for record in ordered]
        y = [float(record.values["l2_error"]) / norm for record in ordered]
        keys = [[record.key] for record in ordered]
        plot_series(axes, x, y, label, KEYS[label], keys=keys, markersize=3)
        ends.append(End((x[-1], y[-1]), label, KEYS[label]))
    axes.set_xlabel("unknowns")
    axes.set_title("finite elements", fontsize=9)
    return ends


def _training(axes: Axes, records: Sequence[StoredResult], norm: float) -> list[End]:
    ends = []
    for name, label, key, dash in LINES:
        found = common_curve(records, name)
        if found is None:
            continue
        x, y = found
        y = y * {"curve_J": 2.0, "curve_l2_error": 1.0 / norm}.get(name, 1.0)
        keys = [[record.key for record in records]]
        plot_median(axes, x, y, label, key, keys=keys, linestyle=dash)
        ends.append(End((float(x[-1]), float(median(y[:, -1]))), label, key))
    axes.set_xlabel("evaluations")
    return ends


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


def field_and_error(pictures: Mapping[str, StoredResult], frame: int | None = None) -> Figure:
    """Arrows of the field about the edge at x₃ = ½, over the size of its error, side by side: at
    the end, or of the nets at one `frame` of their training."""
    first = next(iter(pictures.values())).arrays
    line, exact = np.asarray(first["slice_line"]), np.asarray(first["slice_exact"])
    fields = {"exact field": exact}
    for title, record in pictures.items():
        fields[_title(title, record, frame)] = _field(record, frame)
    size = (WIDTH_INCHES, 0.5 + WIDTH_INCHES / len(fields))
    figure, grid = plt.subplots(1, len(fields), figsize=size, sharex=True, sharey=True)
    top = float(np.nanpercentile(np.hypot(*exact), 90))
    shade: Any = None
    for panel, (title, field) in zip(np.atleast_1d(grid), fields.items(), strict=True):
        error = np.hypot(*(field - exact))
        shade = panel.pcolormesh(
            line, line, error.T, cmap="Reds", vmin=0.0, vmax=top, rasterized=True
        )
        _arrows(panel, line, field, top)
        panel.set_title(title, fontsize=8)
        panel.set_xlabel("x₁", fontsize=8)
    np.atleast_1d(grid)[0].set_ylabel("x₂", fontsize=8)
    bar = figure.colorbar(shade, ax=list(np.atleast_1d(grid)), shrink=0.7, pad=0.01)
    bar.set_label("size of the error on the slice", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    return figure


def _arrows(panel: Axes, line: Any, field: Any, top: float) -> None:
    arrows = field / np.maximum(np.hypot(*field), 0.3 * top)
    every = slice(None, None, 2)
    panel.quiver(
        line[every], line[every], arrows[0, every, every].T, arrows[1, every, every].T,
        color="#222222", scale=11, width=0.012,
    )  # fmt: skip
    panel.plot([0, line[-1]], [0, 0], color="0.3", lw=1)
    panel.plot([0, 0], [0, line[0]], color="0.3", lw=1)
    panel.set_aspect("equal")
    panel.grid(visible=False)
    panel.set_xticks(TICKS)
    panel.set_yticks(TICKS)
    panel.tick_params(labelsize=7)


def _field(record: StoredResult, frame: int | None) -> Any:
    frames = record.arrays.get("frames")
    if frame is None or frames is None:
        return np.asarray(record.arrays["slice"])
    return np.asarray(frames)[min(frame, len(frames) - 1)]


def _title(title: str, record: StoredResult, frame: int | None) -> str:
    """The name of a method with its error in per cent, at that frame."""
    values, arrays = record.values, record.arrays
    relative = values.get("l2_relative")
    if frame is not None and "frames" in arrays:
        at = min(frame, len(arrays["frames"]) - 1)
        relative = float(arrays["curve_l2_error"][at]) / float(values["norm"])
    words = title.replace(", ", ",\n")
    return words if relative is None else f"{words}\n{two_digits(100 * relative)} % error, prism"
