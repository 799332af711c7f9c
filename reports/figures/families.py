"""Surrogates of families: errors against the cost of a query, and against snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from bench.store.results import StoredResult
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_series

Key = tuple[str, str]  # the title of a method and its look


@dataclass(frozen=True)
class Panel:
    """The results of one family: p-version solves, and surrogates by method."""

    solves: list[StoredResult] = field(default_factory=list)
    surrogates: dict[Key, list[StoredResult]] = field(default_factory=dict)


def error_and_cost(panels: Mapping[str, Panel]) -> Figure:
    """A panel per family: solves as a curve, surrogates as points."""

    def draw(axes: Axes, panel: Panel) -> None:
        best = _front(panel.solves)
        _plot(axes, _seconds(best), best, ("p-version solve", "finite element/hexP"))
        for key, records in panel.surrogates.items():
            _plot(axes, _seconds(records), records, key, linestyle="none")
        axes.set_xlabel("seconds per query")

    return _drawn(panels, draw)


def errors_and_snapshots(panels: Mapping[str, Panel]) -> Figure:
    """A panel per family: worst and median errors of every surrogate by its snapshots."""

    def draw(axes: Axes, panel: Panel) -> None:
        for (title, look), records in panel.surrogates.items():
            finest = min(r.config["tol"] for r in records)
            few = sorted((r for r in records if r.config["tol"] == finest), key=_snapshots)
            at = [_snapshots(record) for record in few]
            _plot(axes, at, few, (title, look))
            _plot(axes, at, few, (f"_{title}", f"{look}/median"), "error_median")
        low, high = axes.get_xlim()
        powers = [4**k for k in range(6) if low <= 4**k <= high]
        axes.set_xticks(powers, [*map(str, powers)])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("snapshots")

    return _drawn(panels, draw)


def _snapshots(record: StoredResult) -> int:
    return int(record.config["snapshots"])


def _seconds(records: Sequence[StoredResult]) -> list[float]:
    return [record.values["seconds_functional"] for record in records]


def _front(records: Sequence[StoredResult]) -> list[StoredResult]:
    """The solves that no other beats in both error and time, by time."""
    found: list[StoredResult] = []
    for record in sorted(records, key=lambda r: float(r.values["seconds_functional"])):
        if not found or record.values["error_worst"] < found[-1].values["error_worst"]:
            found.append(record)
    return found


def _plot(
    axes: Axes,
    at: Sequence[float],
    records: Sequence[StoredResult],
    key: Key,
    value: str = "error_worst",
    **style: str,
) -> None:
    errors, keys = [r.values[value] for r in records], [[r.key] for r in records]
    plot_series(axes, at, errors, *key, keys=keys, markersize=3.5, **style)


def _drawn(panels: Mapping[str, Panel], draw: Callable[[Axes, Panel], None]) -> Figure:
    """One panel for each family, at most three in a row."""
    columns = min(3, max(1, len(panels)))
    rows = max(1, -(-len(panels) // columns))
    figure, places = plt.subplots(
        rows, columns, figsize=(WIDTH_INCHES, 0.6 + 2.3 * rows), squeeze=False, sharey=True
    )
    for axes in places.ravel()[len(panels) :]:
        axes.set_axis_off()
    for axes, (title, panel) in zip(places.ravel(), panels.items(), strict=False):
        axes.set_xscale("log")
        axes.set_yscale("log")
        draw(axes, panel)
        axes.set_title(title, fontsize=8.5)
    for axes in places[:, 0]:
        axes.set_ylabel("relative L² error, cube")
    legend_below(figure)
    return figure
