"""Methods given the equation: L² error against seconds, problem by problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results, StoredResult, competitor, medians
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_median, plot_series

BEST_NET = "the best net, along its training"


def work_precision(problems: Sequence[str], elements: Results, nets: dict[str, Results]) -> Figure:
    """L² error against seconds; a net's line is its training, the median over seeds."""
    rows = -(-len(problems) // 2)
    figure, grid = plt.subplots(
        rows, 2, figsize=(WIDTH_INCHES, 1.75 * rows + 0.6), squeeze=False, sharex=True, sharey=True
    )
    for axes in grid.flat[len(problems) :]:
        axes.set_visible(False)
    for axes, problem in zip(grid.flat, problems, strict=False):
        _elements(axes, [r for r in elements if r.config["problem"] == problem])
        _net(axes, nets[problem])
        axes.loglog()
        axes.set_title(problem, fontsize=9, loc="left", fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel("seconds")
    for axes in grid[:, 0]:
        axes.set_ylabel("L² error")
    legend_below(figure)
    return figure


def method_of(record: StoredResult) -> str:
    """N0, N1, hexP or adaptive: what the figure calls one line."""
    return "adaptive" if record.config["refine"] else str(record.config["element"])


def series_of(record: StoredResult) -> str:
    """What the figure calls the line of an element, as its kind of cell declares it."""
    declared = competitor(record)
    return method_of(record) if declared is None else declared.series


def by_series(records: Iterable[StoredResult]) -> dict[str, list[StoredResult]]:
    """Elements that have an error, by what the figure calls their line; small meshes first."""
    groups: dict[str, list[StoredResult]] = {}
    for record in sorted(records, key=lambda record: record.values["dofs"]):
        if competitor(record) is not None:
            groups.setdefault(series_of(record), []).append(record)
    return dict(sorted(groups.items()))


def _elements(axes: Axes, records: Sequence[StoredResult]) -> None:
    for title, group in by_series(records).items():
        x, y = ([record.values[name] for record in group] for name in ("seconds", "l2_error"))
        plot_series(axes, x, y, title, look_of(group[0]), keys=[[record.key] for record in group])


def _net(axes: Axes, group: Results) -> None:
    curves = [r.arrays for r in group if "curve_l2_error" in r.arrays]
    if not curves:
        return
    length = min(len(curve["curve_seconds"]) for curve in curves)
    seconds = medians([curve["curve_seconds"][1:length] for curve in curves])
    errors = [curve["curve_l2_error"][1:length] for curve in curves]
    look = look_of(group.records[0])
    plot_median(axes, seconds, errors, BEST_NET, look, keys=[group.keys()])


def look_of(record: StoredResult) -> str:
    """The key of a method's look, as its kind of cell declares it; of a kind without, its name."""
    declared = competitor(record)
    return record.kind if declared is None else f"{declared.family}/{declared.look}"
