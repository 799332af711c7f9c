"""Fields as pictures: their size as a shade, their direction as arrows, on a slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from reports.style import WIDTH_INCHES

Array = NDArray[np.float64]
BRIGHTEST = 95  # percentile at which the shade saturates: singular fields are unbounded
EVERY = 5  # points have an arrow


@dataclass(frozen=True)
class Slice:
    """A field on the square of a line of points; NaN outside the domain."""

    name: str
    line: Array
    u: Array  # (3, m, m)


def field_slices(slices: Sequence[Slice], across: int = 4) -> Figure:
    """|u| and the direction of u, one panel per field."""
    columns = min(across, len(slices))
    rows = -(-len(slices) // columns)
    size = (WIDTH_INCHES, 2.05 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for axes in grid.flat[len(slices) :]:
        axes.set_visible(False)
    for axes, each in zip(grid.flat, slices, strict=False):
        _panel(axes, each)
    return figure


def _panel(axes: Axes, each: Slice) -> None:
    line, u = each.line, each.u
    size = np.sqrt((u**2).sum(axis=0))
    top = float(np.nanpercentile(size, BRIGHTEST))
    axes.pcolormesh(line, line, size.T, cmap="Blues", vmin=0.0, vmax=top, rasterized=True)
    some = slice(EVERY // 2, None, EVERY)
    arrows = u[:2, some, some] / np.maximum(np.hypot(*u[:2, some, some]), 0.25 * top)
    axes.quiver(line[some], line[some], arrows[0].T, arrows[1].T, scale=16, width=0.008)
    axes.set_title(each.name, fontsize=9, loc="left", fontweight="bold")
    axes.set_aspect("equal")
    axes.grid(visible=False)
    ends = [round(float(line[0])), round(float(line[-1]))]
    axes.set_xticks(ends, [str(end) for end in ends])
    axes.set_yticks(ends, [str(end) for end in ends])
