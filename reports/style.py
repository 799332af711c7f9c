"""One look for every figure: a colour, a marker and a dash per method, the same everywhere.

Colours are Okabe and Ito's set, which stays apart for colour-blind readers; markers and dashes
keep the curves apart in grey print.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reports.document import Picture

WIDTH_INCHES = 7.2
GOLDEN = 0.62


@dataclass(frozen=True)
class Look:
    color: str
    marker: str
    dash: str = "-"


_BLACK, _ORANGE, _SKY, _GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
_YELLOW, _BLUE, _VERMILION, _PURPLE = "#B8A500", "#0072B2", "#D55E00", "#CC79A7"

LOOKS: dict[str, Look] = {
    "N0": Look(_BLACK, "o"),
    "N0 graded": Look(_SKY, "p"),
    "hexN0": Look("#666666", "s"),
    "N1": Look(_PURPLE, "^"),
    "hexP": Look(_BLUE, "D"),
    "resnet": Look(_VERMILION, "o", "--"),
    "resnet+tau": Look(_VERMILION, "s"),
    "fractional": Look(_GREEN, "o", "--"),
    "fractional+tau": Look(_GREEN, "s"),
    "densenet": Look(_ORANGE, "o", "--"),
    "densenet+tau": Look(_ORANGE, "s"),
    "feedforward": Look(_SKY, "o", "--"),
    "feedforward+tau": Look(_SKY, "s"),
    "least squares": Look(_YELLOW, "v", ":"),
    "steepest": Look(_ORANGE, "o"),
    "adam": Look(_PURPLE, "s"),
    "lbfgs": Look(_SKY, "^"),
    "lssbfgs": Look(_GREEN, "v"),
    "ssbfgs": Look(_BLUE, "D"),
}
SPARE = [Look(c, m) for c, m in zip((_BLUE, _ORANGE, _SKY, _PURPLE), "vP*X", strict=True)]


def look(method: str) -> Look:
    """The look of a method; one that has none yet gets a steady spare, chosen by its name."""
    if method in LOOKS:
        return LOOKS[method]
    return SPARE[sum(method.encode()) % len(SPARE)]


@contextmanager
def house_style(text_as_text: bool) -> Iterator[None]:
    """Matplotlib settings of the report. Text stays text on the page (searchable, small); in the
    PDF it becomes outlines, because typst would have to guess the font."""
    settings: dict[Any, Any] = {
        "figure.dpi": 72,  # SVG units are then points, so hover targets fall on the data
        "figure.constrained_layout.use": True,
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.5,
        "lines.markersize": 4.5,
        "legend.frameon": False,
        "svg.fonttype": "none" if text_as_text else "path",
        "svg.hashsalt": "femnets",  # the same figure gives the same bytes
    }
    with mpl.rc_context(settings):
        yield


@contextmanager
def drawn(picture: Picture, text_as_text: bool) -> Iterator[Figure]:
    """A picture's figure in the house style, closed afterwards."""
    import matplotlib.pyplot as plt

    with house_style(text_as_text):
        figure = picture.draw()
        try:
            yield figure
        finally:
            plt.close(figure)


def saved(figure: Figure, form: str, **settings: Any) -> bytes:
    """The bytes of a figure's file; within `drawn`, whose settings matplotlib reads on saving."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, **settings)
    return buffer.getvalue()
