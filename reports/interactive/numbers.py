"""The numbers that a figure draws, read off its lines and heat maps: for CSV and for tooltips."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LEADER = 0.5  # thinner lines lead from a name to its curve, and are not data
DIGITS = 6
SHADES = 3  # digits of a heat map's values: more than colours tell


@dataclass(frozen=True)
class Origin:
    """What a curve is called, and the keys of the results behind every point; a single entry stands
    for all points."""

    name: str
    keys: Sequence[Sequence[str]] = ()

    def behind(self, point: int) -> Sequence[str]:
        """The keys of the results behind one point."""
        return self.keys[point if len(self.keys) > 1 else 0] if self.keys else ()


@dataclass(frozen=True)
class Series:
    """Points of one name in one panel; those of a heat map have a value each."""

    axes: Axes
    origin: Origin
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    value: NDArray[np.float64] | None = None


def series(figure: Figure) -> Iterator[Series]:
    """Every line and heat map that is drawn in data coordinates."""
    for axes in data_axes(figure):
        for line in axes.lines:
            if line.get_transform() == axes.transData and line.get_linewidth() >= LEADER:
                x, y = np.asarray(line.get_xydata(), dtype=float).reshape(-1, 2).T
                if x.size:
                    yield Series(axes, _origin(line), x, y)
        for collection in axes.collections:
            if type(collection).__name__ == "QuadMesh":
                yield from _heat_map(axes, collection)  # type: ignore[arg-type]


def data_axes(figure: Figure) -> list[Axes]:
    """The axes without the colour bars."""
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def _origin(line: Line2D) -> Origin:
    label = str(line.get_label())
    return getattr(line, "origin", Origin("" if label.startswith("_") else label))


def _heat_map(axes: Axes, mesh: QuadMesh) -> Iterator[Series]:
    corners = np.asarray(mesh.get_coordinates(), dtype=float)
    middle = (corners[1:, 1:] + corners[:-1, :-1]) / 2
    values: Any = np.ma.asarray(mesh.get_array(), dtype=float)
    if values.size == middle[..., 0].size:  # with shaded corners there are as many as corners
        table = np.asarray(values.filled(math.nan)).ravel()
        yield Series(axes, Origin(""), middle[0, :, 0], middle[:, 0, 1], table)


def label(axes: Axes, which: str) -> str:
    """The name of an axis; of panels that share one only the outer panels have it."""
    shared = getattr(axes, f"get_shared_{which}_axes")().get_siblings(axes)
    words = (getattr(other, f"get_{which}label")() for other in [axes, *shared])
    return next((text for text in words if text), "")


def as_json(figure: Figure) -> dict[str, Any]:
    """The drawn numbers for CSV: panels, and [panel, name, x, y, values] per series."""
    shown = data_axes(figure)
    panels = [{"title": _title(a), "x": label(a, "x"), "y": label(a, "y")} for a in shown]
    rows = []
    for each in series(figure):
        row: list[Any] = [shown.index(each.axes), each.origin.name]
        row += [rounded(each.x), rounded(each.y)]
        rows.append(row if each.value is None else [*row, rounded(each.value, SHADES)])
    return {"panels": panels, "series": rows}


def _title(axes: Axes) -> str:
    return axes.get_title("left") or axes.get_title() or axes.get_title("right")


def rounded(values: Iterable[float], digits: int = DIGITS) -> list[float | int | None]:
    """To so many digits as a figure shows and more; what does not exist is null."""
    return [_short(float(f"{v:.{digits}g}")) if math.isfinite(v) else None for v in values]


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
