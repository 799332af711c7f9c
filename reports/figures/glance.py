"""Errors against seconds, one panel per kind of information."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.competitors import Competitor
from reports.decision import Trial
from reports.style import WIDTH_INCHES, tint
from reports.svg import End, make_room, name_series, plot_series

NAME_GAP = 0.098  # of a panel's height, between two names
NAME_SIZE = 7.5
MOST_POINTS = 40  # of a curve; more would weigh and not show


def drawable(field: Iterable[Competitor]) -> list[Competitor]:
    """Those that logarithmic axes can show."""
    return [c for c in field if 0 < c.method.error < np.inf and 0 < c.method.seconds < np.inf]


def given_panels(field: Iterable[Competitor]) -> Figure:
    """L² error against seconds: one panel per kind of information, common axes."""
    shown = drawable(field)
    tracks = list(dict.fromkeys(c.track for c in shown))
    figure, grid = plt.subplots(
        1,
        max(1, len(tracks)),
        figsize=(WIDTH_INCHES, 1.85),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    named = []
    for axes, track in zip(grid[0], tracks, strict=False):
        ends = _panel(axes, [c for c in shown if c.track is track])
        axes.loglog()
        axes.margins(x=0.12, y=0.1)
        axes.set_title(f"given {track.short}", loc="left", fontsize=10, fontweight="bold")
        axes.set_xlabel("seconds, one thread")
        named.append((axes, ends))
    every = [end for _, ends in named for end in ends]
    right = make_room(grid[0][0], every, panels=len(grid[0]), size=NAME_SIZE, beyond=2.0)
    grid[0][0].autoscale_view(scalex=False)
    ys = [c.method.error for c in shown] or [1.0]
    if max(ys) < 1.1 * min(ys):  # one point has no range
        grid[0][0].set_ylim(min(ys) / 10, max(ys) * 10)
    for axes, ends in named:  # once the common limits are known
        _name(axes, ends, right)
        axes.set_xticks(_ticks(axes.get_xlim()[0], right))
    grid[0][0].set_ylabel("L² error")
    return figure


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten, every second or third where there are many: their labels are wide."""
    powers = [k for k in range(-9, 10) if low <= 10.0**k <= high]
    step = 1 if len(powers) < 4 else 2 if len(powers) < 6 else 3
    return [10.0**k for k in powers if k % step == 0]


def _name(axes: Axes, ends: Sequence[End], right: float) -> None:
    """Names in the margin, one below the other, each joined to its curve by a thin line."""
    low, high = np.log10(axes.get_ylim())
    ordered = sorted(ends, key=lambda end: -end.at[1])
    wanted = [float(np.log10(end.at[1])) for end in ordered]
    for end, place in zip(ordered, spread(wanted, low, high), strict=True):
        color = tint(end.method.partition("/")[0])
        (line,) = axes.plot([end.at[0], right], [end.at[1], 10**place], color=color, lw=0.4)
        line.set_zorder(0.5)
        style = {"xytext": (2, 0), "fontsize": NAME_SIZE, "color": color}
        name_series(axes, (right, 10**place), end.text, end.label, end.method, **style)


def spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Falling places no nearer than a line to each other, near where they are wanted, none below
    the axis: first pushed down from the top, then up from the bottom."""
    gap = min((high - low) * NAME_GAP, (high - low) / max(1, len(wanted)))
    places: list[float] = []
    for value in wanted:
        places.append(min(value, places[-1] - gap) if places else value)
    floor = low + gap / 2
    for k in reversed(range(len(places))):
        places[k] = max(places[k], floor)
        floor = places[k] + gap
    return places


def _panel(axes: Axes, field: Sequence[Competitor]) -> list[End]:
    """Sizes of one element as a line, the best net along its training, linear models as points."""
    ends = []
    series: dict[str, list[Competitor]] = {}
    for competitor in field:
        if not competitor.is_net:
            series.setdefault(competitor.declared.series, []).append(competitor)
    for name, members in series.items():
        rows = sorted(members, key=lambda c: c.unknowns)
        if rows[0].declared.family != "finite element":
            rows = [min(rows, key=lambda c: c.method.error)]
        x, y = [c.method.seconds for c in rows], [c.method.error for c in rows]
        style = {"linestyle": "-" if len(rows) > 1 else ""}
        ends.append(_drawn(axes, x, y, name, name, rows, style))
    nets = [c for c in field if c.is_net]
    if nets:
        best = min(nets, key=lambda c: c.method.error)
        times, errors = median_curve(best.method.trials)
        style = {"marker": ""} if len(times) > 1 else {}
        ends.append(_drawn(axes, [*times], [*errors], best.name, "best net", [best], style))
    return ends


def _drawn(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    label: str,
    text: str,
    behind: Sequence[Competitor],
    style: dict[str, Any],
) -> End:
    """Draw in the colour of the family, so that three colours say what the figure is about."""
    look, keys = behind[0].look, [c.keys for c in behind]
    color = tint(behind[0].declared.family)
    plot_series(axes, x, y, label, look, keys=keys, color=color, markersize=3.5, **style)
    return End((float(x[-1]), float(y[-1])), text, label, look)


def median_curve(trials: Sequence[Trial]) -> tuple[np.ndarray, np.ndarray]:
    """At common times, the median over seeds of the smallest error until then."""
    seconds = [np.asarray(trial.seconds) for trial in trials]
    errors = [np.asarray(trial.errors) for trial in trials]
    begun = [s[(s > 0) & np.isfinite(s)] for s in seconds]
    if not begun or not all(map(len, begun)):
        return np.array([]), np.array([])
    last = max(float(s[-1]) for s in begun)
    times = np.geomspace(min(max(float(s[0]) for s in begun), last), last, MOST_POINTS)
    table = []
    for s, e in zip(seconds, errors, strict=True):
        best = np.minimum.accumulate(e)
        at = np.searchsorted(s, times, side="right") - 1
        table.append(np.where(at < 0, np.inf, best[np.maximum(at, 0)]))
    middle = np.sort(np.array(table), axis=0)[(len(table) - 1) // 2]
    seen = np.isfinite(middle) & (middle > 0)
    return times[seen], middle[seen]
