"""Bounds of errors against the errors themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from bench.store.results import StoredResult
from reports.style import WIDTH_INCHES
from reports.svg import legend_below, plot_series

LOOKS = {"nets": "net/resnet", "elements": "finite element/N0"}
BOUNDS = {"own_l2_bound": "own residuals or recovery", "l2_bound": "best bound"}


def bounds_against_errors(groups: Mapping[str, Sequence[StoredResult]]) -> Figure:
    """One panel per bound, true errors below, the diagonal that no mark may fall under."""
    figure, row = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 3.2), sharex=True, sharey=True)
    errors = [r.values["l2_error"] for records in groups.values() for r in records]
    ends = [min(errors) / 2, max(errors) * 2]
    for axes, (name, title) in zip(row, BOUNDS.items(), strict=True):
        axes.plot(ends, ends, color="0.5", lw=0.8)
        for label, records in groups.items():
            shown = [r for r in records if r.values.get(name) is not None]
            x, y = ([r.values[of] for r in shown] for of in ("l2_error", name))
            keys = [[r.key] for r in shown]
            plot_series(
                axes, x, y, label, LOOKS[label], keys=keys, linestyle="", markersize=3
            )  # fmt: skip
        axes.loglog()
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("true L² error, whole domain")
    row[0].set_ylabel("bound of the L² error, whole domain")
    legend_below(figure)
    return figure
