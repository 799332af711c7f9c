"""Work and precision: the errors that methods reach, against seconds and against unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from reports.competitors import Competitor
from reports.style import WIDTH_INCHES
from reports.svg import End, legend_below, name_ends, plot_series

Array = NDArray[np.float64]


def work_precision(field: Sequence[Competitor]) -> Figure:
    """L² error on the whole domain against seconds and against unknowns.

    Lines join the sizes of one method; a competitor that is given samples is one point, the median
    over its seeds.
    """
    figure, (seconds, unknowns) = plt.subplots(
        1, 2, figsize=(WIDTH_INCHES, 4.2), sharey=True, width_ratios=(1, 1)
    )
    for axes, work in ((seconds, "seconds"), (unknowns, "unknowns")):
        ends = _lines(axes, field, work)
        _points(axes, field, work)
        axes.loglog()
        axes.margins(x=0.16)
        name_ends(axes, ends)
        axes.set_xlabel(work + (" to compute" if work == "seconds" else ""))
    seconds.set_ylabel("L² error on the whole domain")
    legend_below(figure)
    return figure


def _work(competitor: Competitor, work: str) -> float | None:
    return competitor.seconds if work == "seconds" else float(competitor.unknowns)


def _lines(axes: Axes, field: Sequence[Competitor], work: str) -> list[End]:
    """Sizes of one method as one line, dotted where it solves the equation; the ends of oracles."""
    ends = []
    for (track, series), members in _families(field).items():
        rows = sorted(members, key=lambda c: c.unknowns)
        x, error = _curve(rows, work)
        oracle = track == "field"
        label = f"{series} ({'oracle' if oracle else 'solved'})"
        dash = {} if oracle else {"linestyle": ":"}
        keys = [c.keys for c in rows]
        plot_series(axes, x, error, label, rows[0].look, information=track, keys=keys, **dash)
        if oracle:
            ends.append(End((x[-1], error[-1]), series, label, rows[0].look))
    return ends


def _families(field: Sequence[Competitor]) -> dict[tuple[str, str], list[Competitor]]:
    """Those with an error that are not given samples, by what they are given and by series."""
    found: dict[tuple[str, str], list[Competitor]] = {}
    for competitor in field:
        if competitor.information != "samples" and competitor.error:
            key = (competitor.information, competitor.declared.series)
            found.setdefault(key, []).append(competitor)
    return found


def _curve(rows: Sequence[Competitor], work: str) -> tuple[Array, Array]:
    points = np.array([(_work(c, work), c.error) for c in rows], dtype=float)
    return points[:, 0], points[:, 1]


def _points(axes: Axes, field: Sequence[Competitor], work: str) -> None:
    """One marker per competitor that is given samples; those of one series share a legend entry."""
    shown: set[str] = set()
    for competitor in field:
        x = _work(competitor, work)
        if competitor.information != "samples" or not competitor.error or x is None:
            continue
        label = competitor.declared.series
        entry = label if label not in shown else "_" + competitor.name
        marks: dict[str, Any] = {"linestyle": "", "markersize": 6}
        origin: dict[str, Any] = {"information": competitor.information, "keys": [competitor.keys]}
        plot_series(axes, [x], [competitor.error], entry, competitor.look, **origin, **marks)
        axes.lines[-1].set_gid("series:" + label)
        shown.add(label)
