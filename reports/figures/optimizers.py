"""The race of the optimisers: one net, one start, the error against evaluations and seconds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results, medians
from reports.style import WIDTH_INCHES
from reports.svg import End, make_room, name_ends, plot_median


def race(runs: Results) -> Figure:
    """Relative test error along training: the median over seeds, with a band over all of them."""
    figure, (evaluations, seconds) = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 2.6), sharey=True)
    ends: dict[Axes, list[End]] = {evaluations: [], seconds: []}
    for optimizer in runs.distinct("optimizer"):
        chosen = Results([r for r in runs if r.config["optimizer"] == optimizer])
        curves = [record.arrays for record in chosen]
        length = min(len(curve["curve_evaluations"]) for curve in curves)
        errors = np.array([curve["curve_rel_test_error"][1:length] for curve in curves])
        error = medians(errors)
        look = f"optimiser/{optimizer}"
        for axes, work in ((evaluations, "evaluations"), (seconds, "seconds")):
            x = medians([curve[f"curve_{work}"][1:length] for curve in curves])
            plot_median(axes, x, errors, optimizer, look, keys=[chosen.keys()])
            end = (float(x[-1]), float(error[-1]))
            ends[axes].append(End(end, optimizer, look))
    for axes, label in ((evaluations, "evaluations of J and its gradient"), (seconds, "seconds")):
        axes.loglog()
        axes.margins(x=0.05)
        make_room(axes, ends[axes], panels=2)
        axes.set_xlabel(label)
    evaluations.set_ylabel("relative test error, cylinder")
    figure.draw_without_rendering()  # names keep their distance only once the axes have their size
    for axes, its in ends.items():
        name_ends(axes, its)
    return figure
