"""The race of the optimisers: one net, one start, the error against evaluations and seconds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from bench.results import Results
from reports.style import WIDTH_INCHES
from reports.svg import legend, plot_series


def race(runs: Results) -> Figure:
    """Relative test error along training; the median over seeds at each recorded place."""
    figure, (evaluations, seconds) = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 3.2), sharey=True)
    for optimizer in runs.distinct("optimizer"):
        curves = [r.arrays for r in runs if r.config["optimizer"] == optimizer]
        length = min(len(curve["curve_evaluations"]) for curve in curves)
        error = np.median([curve["curve_rel_test_error"][:length] for curve in curves], axis=0)
        for axes, work in ((evaluations, "evaluations"), (seconds, "seconds")):
            x = np.median([curve[f"curve_{work}"][:length] for curve in curves], axis=0)
            plot_series(axes, x[1:], error[1:], optimizer, optimizer, marker="", linestyle="-")
    for axes, label in ((evaluations, "evaluations of J and its gradient"), (seconds, "seconds")):
        axes.loglog()
        axes.set_xlabel(label)
    evaluations.set_ylabel("relative test error")
    legend(evaluations, loc="lower left")
    return figure
