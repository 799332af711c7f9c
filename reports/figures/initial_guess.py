"""Iterations of a solver by mesh and start."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from bench.store.results import StoredResult
from reports.style import WIDTH_INCHES
from reports.svg import End, make_room, name_ends, plot_series

STARTS = {
    "zero": ("from zero", "linear model/linear"),
    "coarse": ("from the coarser mesh", "finite element/N0"),
    "net": ("from the net", "net/resnet"),
}


def iterations(record: StoredResult) -> Figure:
    """One curve per start."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCHES, 2.6))
    meshes = list(record.config["n"])
    ends = []
    for start, (name, method) in STARTS.items():
        counts = record.values[f"{start}_iterations"]
        plot_series(axes, meshes, counts, name, method, keys=[[record.key]])
        ends.append(End((float(meshes[-1]), float(counts[-1])), name, method))
    axes.set_xscale("log", base=2)
    axes.set_xticks(meshes, [str(n) for n in meshes])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("cells per side n")
    axes.set_ylabel("iterations")
    make_room(axes, ends, panels=1)
    figure.draw_without_rendering()
    name_ends(axes, ends)
    return figure
