"""Decision boundaries and trajectories of the nets on the tasks of Dupont et al."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from bench.store.results import Results, StoredResult
from reports.names import net_title
from reports.style import WIDTH_INCHES, look

HALF_SIDE = 2.0  # of the square that `bench.methods.open_questions.ode_tasks.decision_map` covers
RADII = (0.5, 1.0, 1.5)  # the disc's, and the ring's


def decisions(found: Results) -> Figure:
    """The sign of the score on a square of the plane, a panel per net."""
    figure, panels = _panels(found, 1.9)
    edge = look("net/resnet").color
    for axes, record in zip(panels, found, strict=False):
        scores = np.asarray(record.arrays["scores"])
        ends = (-HALF_SIDE, HALF_SIDE, -HALF_SIDE, HALF_SIDE)
        axes.imshow(scores > 0, extent=ends, origin="lower", cmap="Greys", vmin=-0.5, vmax=2.0)
        for radius in RADII:
            axes.add_patch(Circle((0, 0), radius, fill=False, lw=0.8, color=edge))
        axes.set_xticks([-1, 0, 1])
        axes.set_yticks([-1, 0, 1])
        axes.set_title(_name(record), fontsize=8.5)
        axes.grid(False)
    return figure


def paths(found: Results) -> Figure:
    """States by layer, a panel per net; points that start on the left and right of 0 differ."""
    figure, panels = _panels(found, 1.7)
    for axes, record in zip(panels, found, strict=False):
        states = np.asarray(record.arrays["trajectories"])[:, :, 0]
        for point in states.T:
            family = "net/resnet" if point[0] > 0 else "finite element/N0"
            axes.plot(point, color=look(family).color, lw=0.7, marker="")
        axes.axhline(0, color="black", lw=0.5)
        axes.set_xlabel("layer")
        axes.set_title(_name(record), fontsize=8.5)
    panels[0].set_ylabel("state")
    return figure


def _panels(found: Results, height: float) -> tuple[Figure, list[Axes]]:
    count = max(1, len(found))
    figure, axes = plt.subplots(1, count, figsize=(WIDTH_INCHES, height), squeeze=False)
    return figure, list(axes[0])


def _name(record: StoredResult) -> str:
    small = ", small steps" if record.config["small_steps"] else ""
    return f"{net_title(record.config['net'])}{small}"
