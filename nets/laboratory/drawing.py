"""Figures of a study, each a pure function of it. Matplotlib is loaded when one is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from nets.gradients.verdict import EXPLODING, VANISHING
from nets.laboratory.diagnosis import DEAD_SHARE, hidden_profile
from nets.laboratory.words import headline, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nets.gradients.recorder import GradientHistory
    from nets.laboratory.study import GradientStudy

Array = NDArray[np.float64]

OWN, OTHER, GOOD, POOR, SOFT = "#D55E00", "#0072B2", "#009E73", "#D55E00", "#888888"
SHADES = "cividis"
MOST_NAMES = 12  # along an axis or in a legend


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
    figure = plt.figure(figsize=(7.2, 3.1 * len(chosen)), layout="constrained")
    rows = figure.subfigures(len(chosen), 1, squeeze=False)[:, 0]
    for row, name in zip(rows, chosen, strict=True):
        known[name](study, row)
        for axes in row.get_axes():
            axes.set_axisbelow(True)  # grids lie behind bars and marks
    if kind is None:
        rows[0].suptitle(headline(study), fontsize=10)
    return figure


def draw_history(history: GradientHistory, axes: Axes | None = None) -> Axes:
    """The norms of a recorded training, a line per layer."""
    import matplotlib.pyplot as plt

    axes = axes if axes is not None else plt.subplots(layout="constrained")[1]
    _line_per_layer(axes, np.arange(float(len(history))), history.layer_norms(), history.layers)
    axes.set_yscale("log")
    axes.set_xlabel("backward pass")
    axes.set_ylabel("‖∂J/∂θ‖ per layer")
    return axes


def _line_per_layer(axes: Axes, places: Array, rows: Array, names: Sequence[str]) -> None:
    """A line per layer, the first dark and the last bright; with a legend where they are few."""
    import matplotlib.pyplot as plt

    shades = plt.get_cmap(SHADES)(np.linspace(0, 0.9, len(names)))
    for name, values, shade in zip(names, rows.T, shades, strict=True):
        if np.isfinite(values).any():
            label = shortened(name)
            axes.plot(places, values, marker=".", ms=2, linewidth=1, color=shade, label=label)
    if len(names) <= MOST_NAMES:
        axes.legend(fontsize=6, frameon=False)


def panels(study: GradientStudy) -> dict[str, Callable[[GradientStudy, Any], None]]:
    """The figures for which there are numbers; the one that carries the verdict comes first."""
    found: dict[str, Callable[[GradientStudy, Any], None]] = {}
    over_time = study.diagnosis.over == "time"
    if study.examined[0].memory:
        found["memory"] = _memory
    if not over_time or len(hidden_profile(study.examined[0].profile).logs) > 2:
        found = {**found, "depth": _depth} if over_time else {"depth": _depth, **found}
    if any(trial.fits for trial in study.trials):
        found["remedies"] = _remedies
    if any(training.rows for training in study.trainings):
        found["training"] = _training
    if study.spectra is not None and (study.spectra.end_to_end > 0).any():
        found["jacobians"] = _jacobians
    return found


def _depth(study: GradientStudy, place: Any) -> None:
    """Left: ‖∂J/∂y‖ by state, a band over seeds. Right: dead units, if that is the verdict, or
    activations and relative gradients."""
    left, right = place.subplots(1, 2)
    first = hidden_profile(study.examined[0].profile)
    compared = [(one, color) for one, color in ((study, OWN), (study.against, OTHER)) if one]
    for one, color in compared:
        logs = [hidden_profile(e.profile).logs for e in one.examined]
        _band(left, logs, one.name, color)
        gone = [k for k, value in enumerate(logs[0]) if not math.isfinite(value)]
        if gone:
            left.plot(gone, np.zeros(len(gone)), "x", color=color, clip_on=False,
                      transform=left.get_xaxis_transform(), label="no gradient")  # fmt: skip
    _names(left, first.names)
    _mark_onset(left, study, first.names)
    left.set_ylabel("log₁₀ ‖∂J/∂y‖")
    _at_least(left, 1.0)
    if study.verdict == "dead":
        _dead_units(right, study)
    else:
        for one, color in compared:
            _activations(right, one, color)
        _names(right, first.names)
        right.set_ylabel("log₁₀")
        _at_least(right, 1.0)
    if left.get_legend_handles_labels()[0]:
        left.legend(fontsize=7, frameon=False)
    right.legend(fontsize=7, frameon=False)


def _activations(axes: Axes, study: GradientStudy, color: str) -> None:
    """The scale of every state, and the gradients of its block relative to their weights."""
    first = study.examined[0].profile
    known = [first.states.index(name) for name in hidden_profile(first).names]
    scales = [_log10(e.profile.state_scale[known]) for e in study.examined]
    _band(axes, scales, f"{study.name}: activations", color)
    blocks = [first.states[k].partition("#")[0] for k in known]
    relative = []
    for block in blocks:
        mine = [k for k, layer in enumerate(study.anatomy.layers) if layer.block == block]
        parts = [_relative_gradient(e.profile.gradient[mine], e.profile.weight[mine])
                 for e in study.examined]  # fmt: skip
        relative.append(float(np.median(parts)))
    axes.plot(_log10(np.array(relative)), linestyle="", marker=".", markersize=4, color=color,
              label=f"{study.name}: ‖∂J/∂θ‖ / ‖θ‖")  # fmt: skip


def _relative_gradient(gradient: Array, weight: Array) -> float:
    known = np.isfinite(gradient) & np.isfinite(weight) & (weight > 0)
    if not known.any():
        return math.nan
    return float(np.linalg.norm(gradient[known]) / np.linalg.norm(weight[known]))


def _dead_units(axes: Axes, study: GradientStudy) -> None:
    """The share of units without output or without gradient, by state."""
    found = study.examined[0].profile
    shares = np.nan_to_num(found.state_dead)
    axes.bar(np.arange(len(shares)), shares, color=OWN, label="dead units, share")
    axes.axhline(DEAD_SHARE, color=SOFT, linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 1.05)
    _names(axes, found.states)


def _mark_onset(axes: Axes, study: GradientStudy, names: Sequence[str]) -> None:
    if study.layer in names and study.diagnosis.over == "depth":
        place = names.index(study.layer)
        axes.axvline(place, color=SOFT, linewidth=0.8, linestyle="--")
        axes.annotate(
            f"{study.verdict} from here ", (place, 0.04), fontsize=7, color="#555555",
            xycoords=("data", "axes fraction"), rotation=90, ha="right", va="bottom",
        )  # fmt: skip


def _memory(study: GradientStudy, place: Any) -> None:
    """How the last output of every recurrent layer depends on each of its inputs."""
    axes = place.subplots()
    for k, (name, logs) in enumerate(study.examined[0].memory.items()):
        axes.plot(logs - logs[-1], label=name, color=(OWN, OTHER, GOOD)[k % 3])
    for limit in (math.log10(VANISHING), math.log10(EXPLODING)):
        axes.axhline(limit, color=SOFT, linewidth=0.8, linestyle=":")
    axes.set_ylabel("log₁₀, relative to the last input")
    axes.set_xlabel("time of the input")
    axes.set_title("derivative of the last output by each input", fontsize=8)
    axes.legend(fontsize=7, frameon=False)


def _training(study: GradientStudy, place: Any) -> None:
    """Gradient norms of the layers along training (first seed), relative updates, and J."""
    from matplotlib.ticker import MaxNLocator

    norms, updates, curve = place.subplots(1, 3, width_ratios=[1.3, 1.3, 1])
    rows = study.trainings[0].rows
    owners = [k for k, layer in enumerate(study.anatomy.layers) if layer.parameters]
    names = [study.anatomy.layers[k].name for k in owners]
    steps = np.array([row.step for row in rows])
    gradients = np.array([_log10(row.profile.gradient[owners]) for row in rows])
    ratios = np.array([_log10(row.update[owners] / row.profile.weight[owners]) for row in rows])
    for axes, values in ((norms, gradients), (updates, ratios)):
        _line_per_layer(axes, steps, np.where(np.isfinite(values), values, np.nan), names)
    norms.set_title("log₁₀ ‖∂J/∂θ‖", fontsize=8)
    updates.set_title("log₁₀ ‖Δθ‖ / ‖θ‖", fontsize=8)
    for one, color in ((study, OWN), (study.against, OTHER)):
        for training in one.trainings if one is not None else ():
            few = "." if len(training.J) < 10 else ""
            curve.plot(training.J, color=color, linewidth=0.9, marker=few)
    _log_if_wide(curve.set_yscale, [J for training in study.trainings for J in training.J])
    curve.set_title("J, every seed", fontsize=8)
    for axes in (norms, updates, curve):
        axes.set_xlabel("step")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))


def _jacobians(study: GradientStudy, place: Any) -> None:
    """Leading singular values end to end, and Lyapunov exponents per block or time step."""
    from matplotlib.ticker import MaxNLocator

    axes = place.subplots(1, 2)
    assert study.spectra is not None
    for one, values in zip(axes, (study.spectra.end_to_end, study.spectra.lyapunov), strict=True):
        numbers = values.mean(axis=0)
        one.plot(np.arange(1, len(numbers) + 1), numbers, color=OWN, marker="o", ms=3)
    _log_if_wide(axes[0].set_yscale, study.spectra.end_to_end.mean(axis=0))
    axes[0].set_title("singular values, first to last state", fontsize=8)
    axes[1].set_title(f"Lyapunov exponents per {study.spectra.per}", fontsize=8)
    axes[1].axhline(0, color=SOFT, linewidth=0.8)
    for one in axes:
        one.set_xlabel("number")
        one.xaxis.set_major_locator(MaxNLocator(integer=True))


def _remedies(study: GradientStudy, place: Any) -> None:
    """The effect of each remedy: the ratio first/last, and J after K steps if it was trained."""
    from matplotlib.ticker import MaxNLocator

    left, right = place.subplots(1, 2, sharey=True)
    trials = [trial for trial in study.trials if trial.fits][::-1]
    heights = np.arange(len(trials))
    for height, trial in zip(heights, trials, strict=True):
        color = GOOD if trial.heals else POOR
        left.plot([0, trial.log10_ratio], [height, height], color=color, linewidth=2)
        left.plot(trial.log10_ratio, height, "o", color=color, ms=5)  # visible at zero, too
    left.set_yticks(heights, [trial.remedy for trial in trials], fontsize=8)
    left.axvline(0, color="black", linewidth=0.8)
    for limit in (math.log10(VANISHING), math.log10(EXPLODING)):
        left.axvline(limit, color=SOFT, linewidth=0.8, linestyle=":")
    left.set_xlabel("log₁₀ first/last (green: healthy)")
    losses = np.array([trial.loss for trial in trials])
    colors = np.array([GOOD if trial.helps else POOR for trial in trials])
    finite = np.isfinite(losses)
    right.scatter(losses[finite], heights[finite], color=colors[finite], s=22)
    right.axvline(trials[0].untreated, color=SOFT, linewidth=0.8, linestyle="--")
    right.set_xlabel(f"J after {study.trial_steps} steps (dashed: untreated)")
    _log_if_wide(right.set_xscale, losses[finite])
    if right.get_xscale() == "linear":
        right.xaxis.set_major_locator(MaxNLocator(4))  # labels of four digits do not touch
    for height, loss in zip(heights, losses, strict=True):
        if not math.isfinite(loss):
            word = "diverged" if math.isinf(loss) else "not healthy, not trained"
            right.annotate(word, (0.98, height), xycoords=("axes fraction", "data"),
                           ha="right", va="center", fontsize=7, color="#555555",
                           bbox={"color": "white", "pad": 1})  # fmt: skip


def _log_if_wide(set_scale: Callable[[str], None], values: Sequence[float]) -> None:
    """A logarithmic scale for positive values over more than a decade: shorter ones lack ticks."""
    known = np.array([value for value in values if math.isfinite(value)])
    wide = known.size > 1 and known.min() > 0 and known.max() > 10 * known.min()
    set_scale("log" if wide else "linear")


def _at_least(axes: Axes, decades: float) -> None:
    """Limits that do not blow up differences of less than this."""
    low, high = axes.get_ylim()
    if high - low < decades:
        middle = (low + high) / 2
        axes.set_ylim(middle - decades / 2, middle + decades / 2)


def _band(axes: Axes, profiles: list[Array], label: str, color: str) -> None:
    """The median over seeds, and all of them as a band."""
    values = np.array(profiles)
    places = np.arange(values.shape[1])
    shown = np.where(np.isfinite(values), values, np.nan)
    axes.plot(places, np.median(shown, axis=0), color=color, label=label)
    if len(values) > 1:
        low, high = shown.min(axis=0), shown.max(axis=0)
        axes.fill_between(places, low, high, color=color, alpha=0.15, linewidth=0)


def _names(axes: Axes, names: Sequence[str]) -> None:
    """Some of the names along the horizontal axis."""
    every = max(1, math.ceil(len(names) / MOST_NAMES))
    places = list(range(0, len(names), every))
    labels = [shortened(names[k]) for k in places]
    short = max(map(len, labels), default=0) <= 3
    turned: dict[str, Any] = {} if short else {"rotation": 45, "ha": "right"}
    axes.set_xticks(places, labels, fontsize=7, **turned)
    axes.set_xlabel("state, first to last")


def _log10(values: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log10(values))
