"""Correlation lengths of wide nets, and singular values of Jacobians along training."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bench.store.results import Results, StoredResult, medians
from reports.figures.gradients import RESOLVED
from reports.figures.mean_field import EDGE, XI
from reports.names import in_place, net_title
from reports.style import ANY_COLORS, WIDTH_INCHES
from reports.svg import legend

Array = NDArray[np.float64]
TRAINED = "spectra_in_training"
STARTS = {"he": ("He's weights", ANY_COLORS[0]), "orthogonal": ("orthogonal", ANY_COLORS[1])}


def correlation_lengths(results: Results) -> Figure:
    """ξ by variance of the weights relative to the edge of chaos, a panel per activation: marks are
    measured, with ranges over seeds, lines predicted; at the edge (green) ξ is infinite."""
    cells = results.select(XI).sorted_by("activation")
    figure, grid = plt.subplots(
        1, len(cells), figsize=(WIDTH_INCHES, 2.6), sharey=True, squeeze=False
    )
    for axes, record in zip(grid[0], cells, strict=True):
        _lengths(axes, record)
        axes.set_title(record.config["activation"], fontsize=9)
        axes.set_xlabel("variance / edge", fontsize=8)
    grid[0, 0].set_ylabel("correlation length ξ, layers")
    legend(grid[0, 0], fontsize=7, loc="lower right")
    return figure


def _lengths(axes: Axes, record: StoredResult) -> None:
    ratios = np.array(record.config["ratios"])
    xi, predicted = (_numbers(record.values[name]) for name in ("xi", "xi_predicted"))
    for k, (ratio, seeds) in enumerate(zip(ratios, record.values["xi_by_seed"], strict=True)):
        known = [length for length in seeds if length is not None]
        if known and np.isfinite(xi[k]):
            axes.plot([ratio, ratio], [min(known), max(known)], color=ANY_COLORS[0], linewidth=1)
    axes.plot(ratios, xi, "o", color=ANY_COLORS[0], ms=4, label="measured")
    for side, label in ((ratios < 1, "mean field"), (ratios > 1, None)):
        axes.plot(ratios[side], predicted[side], color="black", linewidth=1.2, label=label)
    axes.axvline(1.0, color=EDGE, linewidth=1.6)
    axes.set_yscale("log")
    axes.set_xlim(0, float(ratios.max()) * 1.05)
    if not np.isfinite(predicted[ratios > 1]).any():
        middle = (1 + float(ratios.max())) / 2
        axes.text(middle, 0.5, "ξ = ∞:\nstates run\naway", ha="center", va="center", fontsize=7,
                  transform=axes.get_xaxis_transform())  # fmt: skip


def _numbers(values: list[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values])


def length_errors(results: Results) -> dict[str, float]:
    """The largest |measured/predicted - 1| below and above the edge, where both are known."""
    worst: dict[str, float] = {}
    for record in results.select(XI):
        both = zip(record.values["xi"], record.values["xi_predicted"], strict=True)
        for ratio, (measured, predicted) in zip(record.config["ratios"], both, strict=True):
            if measured is not None and predicted is not None:
                phase = "ordered" if ratio < 1 else "chaotic"
                worst[phase] = max(worst.get(phase, 0.0), abs(measured / predicted - 1))
    return worst


def spectra_along_training(results: Results) -> Figure:
    """Largest and smallest singular value of dy[H]/dy[1] by step, a row per τ and a column per net:
    medians over seeds from two starts, the band between them as far as float64 resolves it."""
    cells = results.select(TRAINED)
    nets, taus = in_place("net", cells.distinct("net")), cells.distinct("tau")
    size = (WIDTH_INCHES, 1.7 * len(taus) + 0.6)
    figure, grid = plt.subplots(
        len(taus), len(nets), figsize=size, sharex=True, sharey="col", squeeze=False
    )
    for row, tau in zip(grid, taus, strict=True):
        for axes, net in zip(row, nets, strict=True):
            for init, (label, color) in STARTS.items():
                for record in cells.select(TRAINED, net=net, tau=tau, init=init):
                    _band(axes, record, label, color)
        row[0].set_ylabel(f"τ {tau}\nlog₁₀ singular values", fontsize=8)
    for axes, net in zip(grid[0], nets, strict=True):
        axes.set_title(net_title(net), fontsize=9)
    for axes in grid[-1]:
        axes.set_xlabel("step")
    legend(grid[0, 0], fontsize=7)
    return figure


def _band(axes: Axes, record: StoredResult, label: str, color: str) -> None:
    steps, (low, high) = record.arrays["step"][0], extremes(record)
    axes.fill_between(steps, low, high, color=color, alpha=0.2, linewidth=0)
    axes.plot(steps, high, color=color, label=label)
    axes.plot(steps, low, color=color)


def extremes(record: StoredResult) -> tuple[Array, Array]:
    """Smallest resolved and largest singular value by checkpoint, log₁₀, medians over seeds."""
    whole = record.arrays["end_to_end"]
    high = medians(whole[:, :, 0])
    low = medians(whole.min(axis=2))
    low = np.where(np.isfinite(high), np.maximum(low, high + RESOLVED), np.nan)
    return low, np.where(np.isfinite(high), high, np.nan)
