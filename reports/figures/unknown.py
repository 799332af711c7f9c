"""Estimates against the mesh size, where u is not known."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from bench.store.results import Results
from reports.names import element_look, element_short, element_title
from reports.style import WIDTH_INCHES
from reports.svg import End, name_ends, plot_series


def estimates_by_h(found: Results) -> Figure:
    """The relative estimate against h, one panel per problem and one curve per element."""
    problems = list(found.distinct("problem"))
    size = (WIDTH_INCHES, 2.4 * len(problems))
    figure, grid = plt.subplots(len(problems), 1, figsize=size, squeeze=False)
    for axes, problem in zip(grid[:, 0], problems, strict=True):
        ends = []
        for element in found.select("fem", problem=problem).distinct("element"):
            rows = found.select("fem", problem=problem, element=element).sorted_by("n")
            h, share = (np.array(rows.value(v), float) for v in ("h", "relative_estimate"))
            label, key = element_title(rows.records[0]), element_look(element)
            plot_series(axes, h, share, label, key, keys=[[r.key] for r in rows], markersize=3)
            ends.append(End((float(h[-1]), float(share[-1])), element_short(rows.records[0]), key))
        axes.loglog()
        sizes = [float(h) for h in found.select("fem", problem=problem).value("h")]
        axes.set_xlim(1.1 * max(sizes), min(sizes) / (max(sizes) / min(sizes)) ** 0.3 / 1.3)
        axes.set_title(str(problem).partition("@")[0], fontsize=9, loc="left", fontweight="bold")
        axes.set_xlabel("mesh size h, finer to the right")
        axes.set_ylabel("estimate / ‖u_h‖")
        name_ends(axes, ends, at=min(end.at[0] for end in ends))
    return figure
