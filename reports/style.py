"""One look for every figure: a colour, a marker and a dash per method, the same everywhere.

A look is asked for by a key that says what a method is: `family/member` or `family/member/variant`.
The family chooses the colours: finite elements are blue, nets orange (untrained ones light
orange), linear models grey, surrogates green, in every figure. Members take the colours of their
family one after the other, in the order that the plugins declare; a member that no plugin declares
(a result of another installation) gets one of the looks behind them, by its name, so that it keeps
it. A variant of a member is hollow and broken.

Colours are Okabe and Ito's set, which stays apart for colour-blind readers, with more shades of its
blue and vermilion; markers and dashes keep the curves apart in grey print.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import matplotlib as mpl
from matplotlib.ticker import LogFormatter, NullLocator

from bench.methods.titles import members
from reports.faults import tried
from reports.formatting import superscript

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from reports.document import Picture

_BLACK, _ORANGE, _SKY, _GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
_OLIVE, _BLUE, _VERMILION, _PURPLE = "#B8A500", "#0072B2", "#D55E00", "#CC79A7"
_NAVY, _BROWN, _GREY, _SILVER = "#00395A", "#8A3C00", "#666666", "#A0A0A0"
_ROYAL, _AMBER, _RUST = "#3355DD", "#E07B00", "#A84300"
_SAND, _FOREST, _CORAL, _COPPER = "#F2B85C", "#00563F", "#F4876A", "#B87333"
RANKS = ("first", "second", "third")  # of a column, by the shade of its cells

# The colours of the families: of their curves, one per member, in figures …
COLORS: dict[str, tuple[str, ...]] = {
    "finite element": (_BLUE, _SKY, _NAVY, _ROYAL),
    "net": (_AMBER, _VERMILION, _RUST, _BROWN),
    "partly trained net": (_CORAL, _COPPER),
    "untrained net": (_ORANGE, _SAND),
    "linear model": (_GREY, _BLACK, _SILVER),
    "surrogate": (_GREEN, _FOREST),
}
# … and of the family as a whole, and of verdicts, dark enough to be read as text on white.
TINTS = {
    "finite element": "#005A9C",
    "net": "#B84A00",
    "untrained net": "#8F5A00",
    "linear model": "#444444",
    "surrogate": "#00664B",
    "holds": "#1B7837",
    "fails": "#B2182B",
    "no difference": "#2166AC",
    "undecided": "#666666",
    "depends": "#8A6D00",
    "not reproduced": "#B2182B",
    "not testable": "#666666",
    "refused": "#7A3E9D",
}
ANY_COLORS = (_BLUE, _ORANGE, _GREEN, _PURPLE, _SKY, _VERMILION, _OLIVE, _BLACK)
MARKERS = "os^DvP*Xpdh"
DASHES = ("-", "-.")  # of a member, once the colours begin again
VARIANT_DASHES = ("--", ":")
PLACES = 44  # as many as colours and markers give before a look comes again, and more
WIDTH_INCHES = 7.2
FONTS = Path(mpl.get_data_path()) / "fonts" / "ttf"  # of the texts, for the PDF


@dataclass(frozen=True)
class Look:
    """The look of one method."""

    color: str
    marker: str
    dash: str
    hollow: bool = False


def tint(name: str) -> str:
    """The colour of a family or a verdict as text; grey for another one."""
    return TINTS.get(name, "#555555")


def family_color(key: str) -> str:
    """The one colour of a method's family, where its name is next to its marks."""
    family = key.partition("/")[0]
    return COLORS[family][0] if family in COLORS else look(key).color


def look(key: str) -> Look:
    """The look of a method: `look("finite element/N0")`, `look("net/resnet/fixed")`."""
    family, _, rest = key.partition("/")
    member, _, variant = rest.partition("/")
    colors = COLORS.get(family, ANY_COLORS)
    place = _place(family, member)
    turn = place // len(colors) % len(DASHES)
    return Look(
        color=colors[place % len(colors)],
        marker=MARKERS[place % len(MARKERS)],
        dash=(VARIANT_DASHES if variant else DASHES)[turn],
        hollow=bool(variant),
    )


def _place(family: str, member: str) -> int:
    known = members(family)
    if member in known:
        return known.index(member)
    return len(known) + crc32(member.encode()) % max(1, PLACES - len(known))


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
        "text.parse_math": False,  # a dollar in a name is a dollar
        "svg.hashsalt": "femnets",  # the same figure gives the same bytes
    }
    with mpl.rc_context(settings):
        yield


class _Powers(LogFormatter):
    """Powers in letters, 10⁻³ or 2·10⁻³: formulas are never parsed, because a name may hold a
    dollar."""

    _sublabels: Any  # of matplotlib's: the digits before a power that are written

    def _num_to_string(self, x: float, vmin: float, vmax: float) -> str:
        factor, power = f"{x:.0e}".split("e")
        return f"{factor}·10".removeprefix("1·") + superscript(str(int(power)))

    def set_locs(self, locs: Any = None) -> None:
        """Between powers 2 and 5 only, where matplotlib names 2, 3, 4 and 6: they would touch."""
        super().set_locs(locs)
        if 1 < len(self._sublabels or ()) < 10:
            self._sublabels = {1, 2, 5, 10}


MANY_DECADES = 4  # marks between powers of ten would be a grey band


def set_powers(figure: Figure) -> None:
    """Lets logarithmic axes write 10⁻³ in letters, and mark powers only where there are many."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log" and _decades(axis) > MANY_DECADES:
                axis.set_minor_locator(NullLocator())
            if isinstance(axis.get_major_formatter(), LogFormatter):
                axis.set_major_formatter(_Powers())
            if isinstance(axis.get_minor_formatter(), LogFormatter):
                axis.set_minor_formatter(_Powers(labelOnlyBase=False, minor_thresholds=(1.5, 0.5)))


def _decades(axis: Axis) -> float:
    low, high = sorted(axis.get_view_interval())
    return math.log10(high) - math.log10(low) if low > 0 else 0.0


@contextmanager
def drawn(picture: Picture, text_as_text: bool) -> Iterator[Figure]:
    """A picture's figure in the house style, closed afterwards."""
    import matplotlib.pyplot as plt

    with house_style(text_as_text):
        figure = tried(f"figure {picture.name!r}", picture.draw, _sorry)
        set_powers(figure)
        try:
            yield figure
        finally:
            plt.close(figure)


def _sorry(words: str) -> Figure:
    """A figure that says why it is none."""
    import textwrap

    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(WIDTH_INCHES, 1.0))
    figure.text(0.5, 0.5, textwrap.fill(words, 90), ha="center", va="center")
    return figure


def saved(figure: Figure, form: str, **settings: Any) -> bytes:
    """The bytes of a figure's file; within `drawn`, whose settings matplotlib reads on saving."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, **settings)
    return buffer.getvalue()
