"""The race of the optimisers: one net, one start, the error against evaluations and seconds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results
from reports.style import WIDTH_INCHES
from reports.svg import legend, name_series, plot_band, plot_series


def race(runs: Results) -> Figure:
    """Relative test error along training: the median over seeds, with a band over all of them."""
    figure, (evaluations, seconds) = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 3.2), sharey=True)
    ends: list[tuple[Axes, float, float, str]] = []
    for optimizer in runs.distinct("optimizer"):
        curves = [r.arrays for r in runs if r.config["optimizer"] == optimizer]
        length = min(len(curve["curve_evaluations"]) for curve in curves)
        errors = np.array([curve["curve_rel_test_error"][1:length] for curve in curves])
        error = np.median(errors, axis=0)
        for axes, work in ((evaluations, "evaluations"), (seconds, "seconds")):
            x = np.median([curve[f"curve_{work}"][1:length] for curve in curves], axis=0)
            plot_series(axes, x, error, optimizer, optimizer, marker="", linestyle="-")
            if len(curves) > 1:
                plot_band(axes, x, errors.min(0), errors.max(0), optimizer, optimizer)
            ends.append((axes, float(x[-1]), float(error[-1]), optimizer))
    _name_ends(ends)
    for axes, label in ((evaluations, "evaluations of J and its gradient"), (seconds, "seconds")):
        axes.loglog()
        axes.set_xlabel(label)
    evaluations.set_ylabel("relative test error")
    legend(evaluations, loc="lower left")
    return figure


def _name_ends(ends: list[tuple[Axes, float, float, str]]) -> None:
    """Names beside the ends of the curves, one above the other where two curves end together."""
    last: dict[Axes, float] = {}
    for axes, x, error, name in sorted(ends, key=lambda end: end[2]):
        close = axes in last and error < 1.3 * last[axes]
        name_series(axes, (x, error), name, name, name, xytext=(5, 8 if close else -2))
        last[axes] = error
