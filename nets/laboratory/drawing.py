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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nets.gradients.recorder import GradientHistory
    from nets.laboratory.examination import Examined
    from nets.laboratory.study import GradientStudy

Array = NDArray[np.float64]

OWN, OTHER, GOOD, POOR, SOFT = "#D55E00", "#0072B2", "#009E73", "#D55E00", "#888888"
HEAT = "cividis"
MOST_NAMES = 12  # along an axis
FEW_LAYERS = 6  # drawn as lines; more as a map


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
    shades = plt.get_cmap(HEAT)(np.linspace(0, 0.9, len(history.layers)))
    for name, norms, shade in zip(history.layers, history.layer_norms().T, shades, strict=True):
        axes.plot(norms, color=shade, linewidth=1, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("backward pass")
    axes.set_ylabel("‖∂J/∂θ‖ per layer")
    if len(history.layers) <= MOST_NAMES:
        axes.legend(fontsize=7, frameon=False)
    return axes


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


def headline(study: GradientStudy) -> str:
    """`net: vanishing from layer 90 on, first/last 1e-12.5`."""
    found = study.diagnosis
    where = f", from {study.layer} on" if study.layer and found.over == "depth" else ""
    ends = "first/last input" if found.over == "time" else "first/last"
    return f"{study.name}: {study.verdict}{where}, {ends} 1e{found.log10_ratio:+.1f}"


def _depth(study: GradientStudy, place: Any) -> None:
    """Left: ‖∂J/∂y‖ by state, a band over seeds. Right: dead units, if that is the verdict, or
    activations and relative gradients."""
    left, right = place.subplots(1, 2)
    first = hidden_profile(study.examined[0].profile)
    compared = [(one, color) for one, color in ((study, OWN), (study.against, OTHER)) if one]
    for one, color in compared:
        logs = [hidden_profile(e.profile).logs for e in _starts(one)]
        _band(left, logs, one.name, color)
        gone = [k for k, value in enumerate(logs[0]) if not math.isfinite(value)]
        if gone:
            left.plot(gone, np.zeros(len(gone)), "x", color=color, clip_on=False,
                      transform=left.get_xaxis_transform(), label="no gradient")  # fmt: skip
    for scale in sorted({e.scale for e in study.examined} - {1.0}):
        seeds = [e for e in study.examined if e.scale == scale and _known(e)]
        if seeds:
            line = np.median([hidden_profile(e.profile).logs for e in seeds], axis=0)
            left.plot(line, color=SOFT, linewidth=0.8, linestyle=":")
            left.annotate(f"×{scale:g}", (0, line[0]), fontsize=7, color=SOFT)
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
    scales = [_log10(e.profile.state_scale[known]) for e in _starts(study)]
    _band(axes, scales, f"{study.name}: activations", color)
    blocks = [first.states[k].partition("#")[0] for k in known]
    relative = []
    for block in blocks:
        mine = [k for k, layer in enumerate(study.anatomy.layers) if layer.block == block]
        parts = [_relative_gradient(e.profile.gradient[mine], e.profile.weight[mine])
                 for e in _starts(study)]  # fmt: skip
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


def _starts(study: GradientStudy) -> list[Examined]:
    return [one for one in study.examined if one.scale == 1.0]


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

    heat, updates, curve = place.subplots(1, 3, width_ratios=[1.3, 1.3, 1])
    rows = study.trainings[0].rows
    owners = [k for k, layer in enumerate(study.anatomy.layers) if layer.parameters]
    names = [study.anatomy.layers[k].name for k in owners]
    steps = np.array([row.step for row in rows])
    gradients = np.array([_log10(row.profile.gradient[owners]) for row in rows])
    ratios = np.array([_log10(row.update[owners] / row.profile.weight[owners]) for row in rows])
    for axes, values in ((heat, gradients), (updates, ratios)):
        shown = np.where(np.isfinite(values), values, np.nan)
        if len(owners) <= FEW_LAYERS or len(rows) < 2:
            _lines(axes, steps, shown, names)
        else:
            _heat(place, axes, steps, shown)
    heat.set_title("log₁₀ ‖∂J/∂θ‖", fontsize=8)
    updates.set_title("log₁₀ ‖Δθ‖ / ‖θ‖", fontsize=8)
    if len(owners) > FEW_LAYERS and len(rows) > 1:
        _names(heat, names, vertical=True)
        updates.set_yticks([])
    else:
        heat.legend(fontsize=6, frameon=False)
    for one, color in ((study, OWN), (study.against, OTHER)):
        for training in one.trainings if one is not None else ():
            few = "." if len(training.J) < 10 else ""
            curve.plot(training.J, color=color, linewidth=0.9, marker=few)
    _log_if_wide(curve.set_yscale, [J for training in study.trainings for J in training.J])
    curve.set_title("J, every seed", fontsize=8)
    for axes in (heat, updates, curve):
        axes.set_xlabel("step")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))


def _lines(axes: Axes, steps: Array, values: Array, names: Sequence[str]) -> None:
    for k, name in enumerate(names):
        if np.isnan(values[:, k]).all():
            continue  # no gradient at all
        shade = 0.75 * k / max(len(names) - 1, 1)
        axes.plot(steps, values[:, k], marker=".", ms=2, linewidth=0.8, label=shortened(name),
                  color=(0.84 * (1 - shade), 0.37 * (1 - shade), 0.7 * shade))  # fmt: skip


def _heat(place: Any, axes: Axes, steps: Array, values: Array) -> None:
    """Steps to the right, layers upwards; white where a number is zero or does not exist."""
    edges = np.append(steps, steps[-1] + max(1, int(np.diff(steps).max(initial=1))))
    mesh = axes.pcolormesh(
        edges, np.arange(values.shape[1] + 1) - 0.5, values.T, cmap=HEAT, rasterized=True
    )
    place.colorbar(mesh, ax=axes)
    axes.grid(False)


def _jacobians(study: GradientStudy, place: Any) -> None:
    """Leading singular values end to end, and Lyapunov exponents per block or time step."""
    from matplotlib.ticker import MaxNLocator

    axes = place.subplots(1, 2)
    assert study.spectra is not None
    for found, label, dash in (
        (study.spectra, "start", "-"),
        (study.spectra_after, "end of training", "--"),
    ):
        if found is not None:
            values = found.end_to_end.mean(axis=0)
            for one, numbers in zip(axes, (values, found.lyapunov.mean(axis=0)), strict=True):
                index = np.arange(1, len(numbers) + 1)
                one.plot(index, numbers, dash, color=OWN, marker="o", ms=3, label=label)
    _log_if_wide(axes[0].set_yscale, study.spectra.end_to_end.mean(axis=0))
    axes[0].set_title("singular values, first to last state", fontsize=8)
    axes[1].set_title(f"Lyapunov exponents per {study.spectra.per}", fontsize=8)
    axes[1].axhline(0, color=SOFT, linewidth=0.8)
    for one in axes:
        one.set_xlabel("number")
        one.xaxis.set_major_locator(MaxNLocator(integer=True))
        one.legend(fontsize=7, frameon=False)


def _remedies(study: GradientStudy, place: Any) -> None:
    """The effect of each remedy: the ratio first/last, and J after K steps if it was trained."""
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


def _names(axes: Axes, names: Sequence[str], *, vertical: bool = False) -> None:
    """Some of the names along an axis."""
    every = max(1, math.ceil(len(names) / MOST_NAMES))
    places = list(range(0, len(names), every))
    labels = [shortened(names[k]) for k in places]
    if vertical:
        axes.set_yticks(places, labels, fontsize=6)
    else:
        short = max(map(len, labels), default=0) <= 3
        turned: dict[str, Any] = {} if short else {"rotation": 45, "ha": "right"}
        axes.set_xticks(places, labels, fontsize=7, **turned)
        axes.set_xlabel("state, first to last")


def shortened(name: str, most: int = 18) -> str:
    """Return the end of a long name, which says more than its beginning."""
    return name if len(name) <= most else f"…{name[1 - most :]}"


def _log10(values: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log10(values))


def _known(one: Examined) -> bool:
    """Whether its profile was measured: not where J was NaN or infinite."""
    return math.isfinite(one.diagnosis.log10_ratio)
