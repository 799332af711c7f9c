"""The field at a re-entrant edge, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import StoredResult
from reports.formatting import two_digits
from reports.style import WIDTH_INCHES

TICKS = (-0.3, 0.0, 0.3)


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
