"""Figures about the re-entrant edge: who converges to what, what a loss says, the edge itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.store.results import Results, StoredResult
from reports.style import WIDTH_INCHES, look
from reports.svg import legend, plot_series

RIGHT, WRONG = "net/resnet", "net/resnet/built in"
TICKS = (-0.3, 0.0, 0.3)


def story(elements: dict[str, Results], nets: Results, norm: float) -> Figure:
    """Left: relative error against unknowns, every method. Right: error against loss, every net."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCHES, 3.4))
    for label, (group, key) in _series(elements).items():
        ordered = sorted(group, key=lambda record: record.values["dofs"])
        x = [record.values["dofs"] for record in ordered]
        y = [record.values["l2_error"] / norm for record in ordered]
        plot_series(left, x, y, label, key)
    left.loglog()
    left.set_xlabel("unknowns")
    left.set_ylabel("relative L² error")
    legend(left, loc="lower left", fontsize=6)
    _scatter(right, nets)
    right.set_xlabel("loss, by a rule that resolves the edge")
    right.set_ylabel("relative L² error")
    legend(right, loc="best", fontsize=6)
    return figure


def _series(elements: dict[str, Results]) -> dict[str, tuple[Results, str]]:
    keys = {
        "N₀ uniform": "finite element/N0",
        "N₀ graded": "finite element/N0/graded",
        "N₀ adaptive": "finite element/N0 adaptive",
        "hp bricks": "finite element/hexP",
        "nodal P₁": "finite element/nodalP1",
        "nodal Q₁": "finite element/nodalQ",
        "nodal Q₁, r div": "finite element/nodalQ/weighted",
    }
    return {label: (elements[label], key) for label, key in keys.items() if len(elements[label])}


def _scatter(axes: Axes, nets: Results) -> None:
    for label, where, key in (
        ("penalty", {"boundary": "penalty", "div_exponent": 0.0, "singular": False}, RIGHT),
        ("built in", {"boundary": "exact"}, WRONG),
        ("r div", {"div_exponent": 1.0}, "net/weighted"),
        ("told the singular function", {"singular": True}, "net/told more"),
    ):
        group = [r for r in nets.select("reentrant_net", **where) if _finite(r)]
        if group:
            x = [record.values["fine_loss"] for record in group]
            y = [record.values["l2_relative"] for record in group]
            plot_series(axes, x, y, label, key, linestyle="none")
    axes.loglog()


def _finite(record: StoredResult) -> bool:
    return record.values.get("l2_relative") is not None and not record.values.get("diverged")


def along_training(pairs: Sequence[tuple[str, StoredResult]], norm: float) -> Figure:
    """The loss at the points of training, by the fine rule, and the error, along training."""
    figure, axes = plt.subplots(
        1, len(pairs), figsize=(WIDTH_INCHES, 2.8), sharey=True, squeeze=False
    )
    for panel, (title, record) in zip(axes[0], pairs, strict=True):
        curve: dict[str, Any] = dict(record.arrays)
        x = np.asarray(curve["curve_evaluations"])[1:]
        for name, label, key, scale in (
            ("curve_J", "loss at its points", "linear model/linear", 2.0),
            ("curve_fine_loss", "loss by the fine rule", "finite element/N0", 1.0),
            ("curve_l2_error", "relative error", RIGHT, 1.0 / norm),
        ):
            if name in curve:
                plot_series(panel, x, scale * np.asarray(curve[name])[1:], label, key, marker="")
        panel.set_yscale("log")
        panel.set_title(title, fontsize=8)
        panel.set_xlabel("evaluations")
    legend(axes[0, 0], loc="lower left", fontsize=6)
    return figure


def beside_the_edge(pictures: Sequence[tuple[str, StoredResult]]) -> Figure:
    """Arrows of the field about the edge at x₃ = ½, over the size of its error, side by side."""
    columns = [("u", None), *pictures]
    figure, axes = plt.subplots(1, len(columns), figsize=(WIDTH_INCHES, 2.3), sharey=True)
    first = pictures[0][1].arrays
    line, exact = np.asarray(first["slice_line"]), np.asarray(first["slice_exact"])
    top = float(np.nanpercentile(np.hypot(*exact), 90))
    for panel, (title, record) in zip(axes, columns, strict=True):
        field = exact if record is None else np.asarray(record.arrays["slice"])
        error = np.hypot(*(field - exact))
        panel.pcolormesh(line, line, error.T, cmap="Reds", vmin=0.0, vmax=top, rasterized=True)
        size = np.hypot(*field)
        arrows = field / np.maximum(size, 0.3 * top)
        every = slice(None, None, 2)
        panel.quiver(
            line[every], line[every], arrows[0, every, every].T, arrows[1, every, every].T,
            color=look("linear model/linear").color, scale=12, width=0.008,
        )  # fmt: skip
        panel.plot([0, line[-1]], [0, 0], color="0.3", lw=1)
        panel.plot([0, 0], [0, line[0]], color="0.3", lw=1)
        panel.set_aspect("equal")
        panel.grid(visible=False)
        panel.set_title(title, fontsize=6)
        panel.set_xticks(TICKS)
        panel.set_yticks(TICKS)
        panel.set_xlabel("x₁")
    axes[0].set_ylabel("x₂")
    return figure
