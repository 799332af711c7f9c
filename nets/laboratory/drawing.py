"""Figures of a study, each a pure function of it. Matplotlib is loaded when one is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from nets.laboratory.diagnosis import hidden_profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nets.laboratory.examination import Examined
    from nets.laboratory.study import GradientStudy

Array = NDArray[np.float64]

OWN, OTHER, GOOD, POOR, SOFT = "#D55E00", "#0072B2", "#009E73", "#D55E00", "#888888"
HEAT = "cividis"
MOST_NAMES = 12  # along an axis


def draw(study: GradientStudy, kind: str | None = None) -> Figure:
    """One figure by its kind, or all of those that have something to show on one page."""
    import matplotlib.pyplot as plt

    known = panels(study)
    if kind is not None:
        if kind not in study.FIGURES:
            raise UserError(f"unknown figure {kind!r}; known: {', '.join(study.FIGURES)}")
        if kind not in known:
            raise UserError(f"this study has no data for the figure {kind!r}")
    chosen = [kind] if kind is not None else list(known)
    figure = plt.figure(figsize=(7.2, 2.9 * len(chosen)), layout="constrained")
    rows = figure.subfigures(len(chosen), 1, squeeze=False)[:, 0]
    for row, name in zip(rows, chosen, strict=True):
        known[name](study, row)
    if kind is None:
        rows[0].suptitle(headline(study), fontsize=10)
    return figure


def panels(study: GradientStudy) -> dict[str, Callable[[GradientStudy, Any], None]]:
    """The figures for which there are numbers."""
    found: dict[str, Callable[[GradientStudy, Any], None]] = {"depth": _depth}
    if any(training.rows for training in study.trainings):
        found["training"] = _training
    if study.spectra is not None or study.examined[0].memory:
        found["jacobians"] = _jacobians
    if any(trial.fits for trial in study.trials):
        found["remedies"] = _remedies
    return found


def headline(study: GradientStudy) -> str:
    """`net: vanishing from layer 90 on, first/last 1e-12.5`."""
    where = f", from {study.layer} on" if study.layer else ""
    return f"{study.name}: {study.verdict}{where}, first/last 1e{study.diagnosis.log10_ratio:+.1f}"


def _depth(study: GradientStudy, place: Any) -> None:
    """Left: ‖∂J/∂y‖ by state, a band over seeds. Right: activations, relative gradients."""
    left, right = place.subplots(1, 2)
    for one, color in ((study, OWN), (study.against, OTHER)):
        if one is None:
            continue
        starts = [e for e in one.examined if e.scale == 1.0]
        logs = [hidden_profile(e.profile).logs for e in starts]
        _band(left, logs, one.name, color)
        scales = [_log10(e.profile.state_scale[: len(logs[0])]) for e in starts]
        _band(right, scales, f"{one.name}: activations", color)
        relative = [_log10(e.profile.gradient / e.profile.weight) for e in starts]
        _relative(right, relative, one.name, color)
    for scale in sorted({e.scale for e in study.examined} - {1.0}):
        seeds = [e for e in study.examined if e.scale == scale and _known(e)]
        if seeds:
            line = np.median([hidden_profile(e.profile).logs for e in seeds], axis=0)
            left.plot(line, color=SOFT, linewidth=0.8, linestyle=":")
            left.annotate(f"×{scale:g}", (0, line[0]), fontsize=7, color=SOFT)
    first = study.examined[0]
    _names(left, hidden_profile(first.profile).names)
    _mark_onset(left, study, hidden_profile(first.profile).names)
    left.set_ylabel("log₁₀ ‖∂J/∂y‖")
    right.set_ylabel("log₁₀")
    right.set_xlabel("state, first to last")
    left.legend(fontsize=7, frameon=False)
    right.legend(fontsize=7, frameon=False)


def _relative(axes: Axes, logs: list[Array], name: str, color: str) -> None:
    """Relative gradients of the layers, spread over the length of the states' axis."""
    known = np.isfinite(np.median(logs, axis=0))
    begin, end = axes.dataLim.intervalx
    places = np.linspace(begin, end, len(known))[known]
    values = np.median(logs, axis=0)[known]
    label = f"{name}: ‖∂J/∂θ‖ / ‖θ‖"
    axes.plot(places, values, linestyle="", marker=".", markersize=4, color=color, label=label)


def _mark_onset(axes: Axes, study: GradientStudy, names: Sequence[str]) -> None:
    if study.layer in names and study.diagnosis.over == "depth":
        axes.axvline(names.index(study.layer), color=SOFT, linewidth=0.8, linestyle="--")
        axes.annotate(
            f" {study.verdict} from here", (names.index(study.layer), 0.02), fontsize=7,
            xycoords=("data", "axes fraction"), color=SOFT, rotation=90, ha="right",
        )  # fmt: skip


def _training(study: GradientStudy, place: Any) -> None:
    """Gradient norms of the layers along training (first seed), relative updates, and J."""
    heat, updates, curve = place.subplots(1, 3, width_ratios=[1.3, 1.3, 1])
    rows = study.trainings[0].rows
    owners = [k for k, layer in enumerate(study.anatomy.layers) if layer.parameters]
    steps = np.array([row.step for row in rows])
    gradients = np.array([_log10(row.profile.gradient[owners]) for row in rows])
    ratios = np.array([_log10(row.update[owners] / row.profile.weight[owners]) for row in rows])
    for axes, values, title in (
        (heat, gradients, "log₁₀ ‖∂J/∂θ‖"),
        (updates, ratios, "log₁₀ ‖Δθ‖ / ‖θ‖"),
    ):
        shown = np.where(np.isfinite(values), values, np.nan)
        edges = np.append(steps, steps[-1] + max(1, int(np.diff(steps).max(initial=1))))
        mesh = axes.pcolormesh(
            edges, np.arange(len(owners) + 1) - 0.5, shown.T, cmap=HEAT, rasterized=True
        )
        place.colorbar(mesh, ax=axes)
        axes.set_title(title, fontsize=8)
        axes.set_xlabel("step")
        axes.grid(False)
    _names(heat, [study.anatomy.layers[k].name for k in owners], vertical=True)
    updates.set_yticks([])
    for one, color in ((study, OWN), (study.against, OTHER)):
        for training in one.trainings if one is not None else ():
            few = "." if len(training.J) < 10 else ""
            curve.plot(training.J, color=color, linewidth=0.9, marker=few)
    positive = all((training.J > 0).all() for training in study.trainings)
    curve.set_yscale("log" if positive else "linear")
    curve.set_title("J, every seed", fontsize=8)
    curve.set_xlabel("step")


def _jacobians(study: GradientStudy, place: Any) -> None:
    """Leading singular values end to end, exponents in depth, and memory where time runs."""
    memory = study.examined[0].memory
    axes = place.subplots(1, 2 + bool(memory), squeeze=False)[0]
    for found, label, dash in (
        (study.spectra, "start", "-"),
        (study.spectra_after, "end of training", "--"),
    ):
        if found is not None:
            values = found.end_to_end.mean(axis=0)
            index = np.arange(1, len(values) + 1)
            axes[0].semilogy(index, values, dash, color=OWN, marker="o", ms=3, label=label)
            exponents = found.lyapunov.mean(axis=0)
            index = np.arange(1, len(exponents) + 1)
            axes[1].plot(index, exponents, dash, color=OWN, marker="o", ms=3, label=label)
    axes[0].set_title("singular values, first to last state", fontsize=8)
    axes[1].set_title("Lyapunov exponents per block", fontsize=8)
    axes[1].axhline(0, color=SOFT, linewidth=0.8)
    for one in axes[:2]:
        one.set_xlabel("number")
        if one.lines:
            one.legend(fontsize=7, frameon=False)
    for name, logs in memory.items():
        axes[2].plot(logs, label=name, color=OWN)
        axes[2].set_title("sensitivity of the last output, log₁₀", fontsize=8)
        axes[2].set_xlabel("time of the input")
        axes[2].legend(fontsize=7, frameon=False)


def _remedies(study: GradientStudy, place: Any) -> None:
    """The effect of each remedy: the ratio first/last, and J after K steps."""
    left, right = place.subplots(1, 2, sharey=True, width_ratios=[1, 1])
    trials = [trial for trial in study.trials if trial.fits][::-1]
    colors = [GOOD if trial.heals else POOR for trial in trials]
    heights = np.arange(len(trials))
    left.barh(heights, [trial.log10_ratio for trial in trials], color=colors)
    left.set_yticks(heights, [trial.remedy for trial in trials], fontsize=8)
    left.axvline(0, color="black", linewidth=0.8)
    for limit in (-3, 3):
        left.axvline(limit, color=SOFT, linewidth=0.8, linestyle=":")
    left.set_xlabel("log₁₀ first/last (green: healthy)")
    losses = np.array([trial.loss for trial in trials])
    finite = np.isfinite(losses)
    right.plot(losses[finite], heights[finite], "o", color="black", ms=4)
    right.set_xlabel(f"J after {study.trial_steps} steps")
    if finite.any() and losses[finite].min() > 0 and np.ptp(np.log10(losses[finite])) > 1:
        right.set_xscale("log")
    for height in heights[~finite]:
        right.annotate("diverged", (0.98, height), xycoords=("axes fraction", "data"),
                       ha="right", va="center", fontsize=7, color=POOR)  # fmt: skip


def _band(axes: Axes, profiles: list[Array], label: str, color: str) -> None:
    """The median over seeds, and all of them as a band."""
    values = np.array(profiles)
    places = np.arange(values.shape[1])
    shown = np.where(np.isfinite(values), values, np.nan)
    axes.plot(places, np.median(shown, axis=0), color=color, label=label)
    if len(values) > 1:
        low, high = shown.min(axis=0), shown.max(axis=0)
        axes.fill_between(places, low, high, color=color, alpha=0.15, linewidth=0)


def _names(axes: Axes, names: Sequence[str], *, vertical: bool = False) -> None:
    """Some of the names along an axis."""
    every = max(1, math.ceil(len(names) / MOST_NAMES))
    places = list(range(0, len(names), every))
    labels = [shortened(names[k]) for k in places]
    if vertical:
        axes.set_yticks(places, labels, fontsize=6)
    else:
        axes.set_xticks(places, labels, fontsize=6, rotation=45, ha="right")


def shortened(name: str, most: int = 18) -> str:
    """Return the end of a long name, which says more than its beginning."""
    return name if len(name) <= most else f"…{name[1 - most :]}"


def _log10(values: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log10(values))


def _known(one: Examined) -> bool:
    """Whether its profile was measured: not where J was NaN or infinite."""
    return math.isfinite(one.diagnosis.log10_ratio)
