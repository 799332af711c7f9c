"""Errors of fits to noisy samples against the number of samples."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from bench.store.results import Results, median
from reports.style import WIDTH_INCHES
from reports.svg import End, make_room, name_ends, plot_series

MOST_LEVELS = 4


def error_by_samples(found: Results) -> Figure:
    """A panel per level of noise, a curve per method."""
    levels = found.distinct("noise")[:MOST_LEVELS]
    figure, panels = plt.subplots(
        1, len(levels), figsize=(WIDTH_INCHES, 2.7), sharey=True, squeeze=False
    )
    for axes, level in zip(panels[0], levels, strict=True):
        ends = []
        for method in found.distinct("method"):
            chosen = found.select("noisy_fit", noise=level, method=method)
            counts = sorted({*chosen.distinct("samples")})
            groups = [chosen.select("noisy_fit", samples=count) for count in counts]
            errors = [median(group.errors("l2_error_inside")) for group in groups]
            look = _look(method)
            keys = [group.keys() for group in groups]
            plot_series(axes, counts, errors, method, look, keys=keys)
            if counts:
                ends.append(End((float(counts[-1]), float(errors[-1])), method, look))
        axes.loglog()
        axes.set_title(f"noise {level:g}", fontsize=8.5)
        axes.set_xlabel("samples")
        make_room(axes, ends, panels=len(levels))
        figure.draw_without_rendering()
        name_ends(axes, ends)
    panels[0][0].set_ylabel("L² error, cylinder")
    return figure


def _look(method: str) -> str:
    if method.endswith("net"):
        return f"net/{'resnet' if method == 'strong net' else 'feedforward'}"
    return "finite element/N1" if method == "N1" else f"linear model/{method}"
