"""Methods given the equation: L² error against seconds, problem by problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.competitors import Competitor
from reports.decision import Trial
from reports.style import WIDTH_INCHES
from reports.svg import End, make_room, name_ends, plot_series

MOST_SERIES = 6  # of a panel
MOST_POINTS = 40  # of a curve
LOWEST_ORDER = "N0"  # the element that every panel shows


def work_precision(fields: Mapping[str, Sequence[Competitor]], columns: int = 2) -> Figure:
    """L² error on the whole domain against seconds, one panel per problem: sizes of an element as
    one curve, the best net of each series along its training."""
    across = min(columns, len(fields))
    rows = -(-len(fields) // across)
    size = (WIDTH_INCHES, 2.15 * rows + 0.3)
    figure, grid = plt.subplots(rows, across, figsize=size, squeeze=False, sharex=True)
    for axes in grid.flat[len(fields) :]:
        axes.set_visible(False)
    named = []
    for axes, (problem, field) in zip(grid.flat, fields.items(), strict=False):
        named.append((axes, [_curve(axes, *item) for item in chosen(field).items()]))
        axes.loglog()
        axes.set_title(problem, fontsize=9, loc="left", fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel("seconds, one thread")
    for axes in grid[:, 0]:
        axes.set_ylabel("L² error, whole domain")
    grid[0, 0].autoscale_view()
    make_room(grid[0, 0], [end for _, ends in named for end in ends], panels=across)
    figure.draw_without_rendering()  # names keep their distance only once the axes have their size
    for axes, ends in named:
        name_ends(axes, ends)
    return figure


def chosen(field: Sequence[Competitor]) -> dict[str, list[Competitor]]:
    """At most six curves: the lowest-order element, the best trained net, the best net of another
    family, and the series with the smallest errors."""
    groups: dict[str, list[Competitor]] = {}
    for c in sorted(field, key=lambda c: c.end_error):
        if 0 < c.end_error < math.inf and (c.seconds_alone or 0.0) > 0:
            family, series = c.declared.family, c.declared.series
            groups.setdefault(f"best {family}" if c.is_net else series, []).append(c)
    plain = [n for n, group in groups.items() if group[0].declared.look == LOWEST_ORDER]
    nets = [n for n, group in groups.items() if group[0].is_net]
    kept = dict.fromkeys([*plain[:1], *nets, *groups])
    return {name: groups[name] for name in [*kept][:MOST_SERIES]}


def _curve(axes: Axes, name: str, group: Sequence[Competitor]) -> End:
    """Sizes of an element in the order of their unknowns; of any other method the best one."""
    first = group[0]
    key = first.look
    if first.declared.family == "finite element":
        rows = sorted(group, key=lambda c: c.unknowns)
        x = np.array([c.seconds_alone for c in rows], dtype=float)
        y = np.array([c.end_error for c in rows], dtype=float)
        plot_series(axes, x, y, name, key, keys=[c.keys for c in rows], markersize=3)
    else:
        x, y = median_curve(first.method.trials)
        mark = {"marker": ""} if len(x) > 1 else {}
        plot_series(axes, x, y, name, key, keys=[first.keys], **mark)
    return End((float(x[-1]), float(y[-1])), name, key)


def median_curve(trials: Sequence[Trial]) -> tuple[np.ndarray, np.ndarray]:
    """At common times, the median over seeds of the error last seen."""
    seconds = [np.asarray(trial.seconds) for trial in trials]
    errors = [np.asarray(trial.errors) for trial in trials]
    begun = [s[(s > 0) & np.isfinite(s)] for s in seconds]
    last = max(float(s[-1]) for s in begun)
    times = np.geomspace(min(max(float(s[0]) for s in begun), last), last, MOST_POINTS)
    if all(len(s) == 1 for s in begun):
        times = times[-1:]
    table = []
    for s, e in zip(seconds, errors, strict=True):
        at = np.searchsorted(s, times, side="right") - 1
        table.append(np.where(at < 0, np.inf, e[np.maximum(at, 0)]))
    middle = np.sort(np.array(table), axis=0)[(len(table) - 1) // 2]
    seen = np.isfinite(middle) & (middle > 0)
    return times[seen], middle[seen]
