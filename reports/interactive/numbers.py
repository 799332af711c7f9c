"""The numbers that a figure draws, read off its artists: for CSV, for tooltips, for filters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = "series:"  # what the id of an artist begins with that belongs to a named series
LEADER = 0.5  # thinner lines lead from a name to its curve, and are not data
DIGITS = 6
SHADES = 3  # digits of a heat map's values: more than colours tell


@dataclass(frozen=True)
class Panel:
    """The words on one pair of axes."""

    title: str
    x: str
    y: str
    names: Mapping[str, Mapping[float, str]]  # by axis, what stands at a tick instead of a number


@dataclass(frozen=True)
class Origin:
    """Where a series comes from, beyond its points."""

    method: str = ""  # whose family the page can filter by
    keys: Sequence[Sequence[str]] = ()  # of the results behind every point; a single entry: all

    def behind(self, point: int) -> Sequence[str]:
        """The keys of the results behind one point."""
        return self.keys[point if len(self.keys) > 1 else 0] if self.keys else ()


UNKNOWN = Origin()


def set_origin(artist: Artist, origin: Origin) -> None:
    """Attach the origin of a series to the artist that draws it."""
    artist.origin = origin  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Series:
    """Points of one name in one panel; those of a heat map have a value each."""

    axes: Axes
    panel: int
    name: str
    origin: Origin
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    value: NDArray[np.float64] | None = None
    end_of_band: bool = False


def data_axes(figure: Figure) -> list[Axes]:
    """The axes without the colour bars."""
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def panels(figure: Figure) -> list[Panel]:
    """The words of every panel."""
    found = []
    for axes in data_axes(figure):
        titles = (axes.get_title(where) for where in ("left", "center", "right"))
        title = next((text for text in titles if text), "")
        names = {"x": _names(axes.xaxis), "y": _names(axes.yaxis)}
        found.append(Panel(title, _label(axes, "x"), _label(axes, "y"), names))
    return found


def series(figure: Figure) -> Iterator[Series]:
    """Everything that is drawn in data coordinates, named where it has a name."""
    for place, axes in enumerate(data_axes(figure)):
        for line in axes.lines:
            if line.get_transform() == axes.transData and line.get_linewidth() >= LEADER:
                x, y = np.asarray(line.get_xydata(), dtype=float).reshape(-1, 2).T
                if x.size:
                    yield Series(axes, place, _name(line), getattr(line, "origin", UNKNOWN), x, y)
        for collection in axes.collections:
            yield from _collected(axes, place, collection)
        for image in axes.images:
            left, right, bottom, top = image.get_extent()
            table = _filled(image.get_array())
            if table.ndim == 2:
                rows, columns = table.shape
                x = left + (np.arange(columns) + 0.5) * (right - left) / columns
                y = top + (np.arange(rows) + 0.5) * (bottom - top) / rows
                yield _mesh(axes, place, x, y, table)


def _collected(axes: Axes, place: int, collection: Any) -> Iterator[Series]:
    kind = type(collection).__name__
    if kind == "PathCollection":
        x, y = _filled(collection.get_offsets()).T
        yield Series(axes, place, _name(collection), UNKNOWN, x, y)
    elif kind == "QuadMesh":
        corners = np.asarray(collection.get_coordinates(), dtype=float)
        middle = (corners[1:, 1:] + corners[:-1, :-1]) / 2
        rows, columns = middle.shape[:2]
        table = _filled(collection.get_array())
        # with shaded corners there are as many values as corners
        if table.size == rows * columns:
            yield _mesh(axes, place, middle[0, :, 0], middle[:, 0, 1], table.reshape(rows, columns))
    elif "Poly" in kind and _name(collection):
        (path,) = collection.get_paths()[:1] or (None,)
        if path is not None:
            yield from _band(axes, place, _name(collection), np.asarray(path.vertices, dtype=float))


def _filled(values: Any) -> NDArray[np.float64]:
    """Without a mask: what is masked is not a number."""
    masked: Any = np.ma.asarray(values, dtype=float)
    return np.asarray(masked.filled(math.nan), dtype=float)


def _mesh(axes: Axes, place: int, x: ArrayLike, y: ArrayLike, table: NDArray[Any]) -> Series:
    return Series(axes, place, "", UNKNOWN, np.asarray(x), np.asarray(y), table)


def _band(axes: Axes, place: int, name: str, corners: NDArray[np.float64]) -> Iterator[Series]:
    """The lower and the upper end at every x."""
    x = np.unique(corners[:, 0])
    ends = [corners[corners[:, 0] == at, 1] for at in x]
    for word, end_of in (("low", np.min), ("high", np.max)):
        y = np.array([end_of(end) for end in ends])
        yield Series(axes, place, f"{name}, {word}", UNKNOWN, x, y, end_of_band=True)


def _name(artist: Artist) -> str:
    gid = artist.get_gid() or ""
    if gid.startswith(SERIES):
        return gid.removeprefix(SERIES)
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _label(axes: Axes, which: str) -> str:
    """Of panels that share an axis only the outer ones name it."""
    shared = getattr(axes, f"get_shared_{which}_axes")().get_siblings(axes)
    words = (getattr(other, f"get_{which}label")() for other in [axes, *shared])
    return next((text for text in words if text), "")


def _names(axis: Any) -> dict[float, str]:
    """Ticks that were given words; 10⁻³ is set as a formula, which has words of its own."""
    if type(axis.get_major_formatter()).__name__ not in ("FixedFormatter", "FuncFormatter"):
        return {}
    places = axis.get_majorticklocs()
    texts = axis.get_major_formatter().format_ticks(places)
    named = {float(place): text for place, text in zip(places, texts, strict=True)}
    return named if any(_is_word(text) for text in named.values()) else {}


def _is_word(text: str) -> bool:
    return sum(letter.isalpha() for letter in text) > 2


def as_json(figure: Figure) -> dict[str, Any]:
    """The drawn numbers for CSV: panels, and [panel, name, family, x, y, values] per series."""
    shown = [
        {"title": p.title, "x": p.x, "y": p.y}
        | ({"names": _named(p)} if any(p.names.values()) else {})
        for p in panels(figure)
    ]
    rows = []
    for each in series(figure):
        row: list[Any] = [each.panel, each.name, each.origin.method.partition("/")[0]]
        row += [rounded(each.x), rounded(each.y)]
        rows.append([*row, rounded(each.value.ravel(), SHADES)] if each.value is not None else row)
    return {"panels": shown, "series": rows}


def _named(panel: Panel) -> dict[str, dict[str, str]]:
    return {
        axis: {f"{place:g}": text for place, text in names.items()}
        for axis, names in panel.names.items()
        if names
    }


def rounded(values: Iterable[float], digits: int = DIGITS) -> list[float | int | None]:
    """To so many digits as a figure shows and more; what does not exist is null."""
    return [_short(float(f"{v:.{digits}g}")) if math.isfinite(v) else None for v in values]


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
