"""Gradients by layer: where they vanish and explode, and what learning τ does about it."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Missing, Paragraph, Picture, Section, Value
from reports.figures.gradients import (
    gradient_heatmaps,
    jacobian_spectra,
    layer_profiles,
    phase_diagram,
    tau_trajectories,
)
from reports.figures.mean_field import DECAY, decay_slopes, memory_decay
from reports.names import in_place, net_title
from reports.tables import grouped, medians_by

TITLE = "Vanishing and exploding gradients"
ORDER = 70
STUDIES = ("gradient_atlas", "learned_tau")
GAP = "no gradients by layer in this run."
MOST_DEPTHS = 6  # columns of the table of Jacobian norms
AT_INIT, IN_TRAINING = "gradients_at_init", "gradients_in_training"

RULES = (
    "Labels follow declared rules: with r the norm at the first layer over the norm at the last, "
    "vanishing means r < 10⁻³, exploding r > 10³, a dead layer has a norm of zero (or below 10⁻¹⁵ "
    "of the largest) between layers that have not, and everything else is healthy. y[k] is the "
    "state of layer k, H the number of hidden layers. Norms as large as 10²²² do not overflow."
)


def contents(run: Run) -> list[Block | Section]:
    if not any(len(run.results.select(kind)) for kind in (AT_INIT, IN_TRAINING)):
        return []
    return [
        Paragraph(RULES),
        Section("Before training", _before(run)),
        Section("Learned and fixed τ along training", _along(run)),
    ]


def _before(run: Run) -> list[Block]:
    cells = run.results.select(AT_INIT)
    if not len(cells):
        return [Missing("no gradients at initialisation.", run.command("gradient_atlas"))]
    return [
        Paragraph(_agreement(cells)),
        *_decay(run),
        *_phases(run, cells),
        *_by_layer(run, cells, _deepest(cells)),
        *_jacobians(run, cells),
    ]


def _jacobians(run: Run, cells: Results) -> list[Block]:
    chosen = cells.select(AT_INIT, scale=1.0, gamma=0.5)
    if not len(chosen):
        return [Missing("no nets with He's weights yet.", run.command("gradient_atlas"))]
    order = in_place("net", chosen.distinct("net"))
    found = grouped(chosen, "net", "tau", "tau0").items()
    groups = {
        (net_title(str(net)), tau0 if tau == "fixed" else f"{tau}, τ₀ = {tau0}"): group
        for (net, tau, tau0), group in sorted(
            found, key=lambda g: (order.index(str(g[0][0])), g[0][1:])
        )
    }
    return [
        medians_by(
            "jacobian-norms",
            "log₁₀ of the geometric mean of ‖dy[H]/dy[1]‖ at initialisation, He's weights, medians "
            f"over seeds; at most {MOST_DEPTHS} of the depths measured.",
            ("net", "τ"),
            groups,
            [(f"H = {h}", "rate", partial(_norm, hidden=h)) for h in _depths(cells)],
            run.source("gradient_atlas", cells),
        )
    ]


def _norm(group: Results, hidden: int) -> Value:
    """Of the seeds whose Jacobian float64 holds."""
    values = group.select(AT_INIT, hidden=hidden).value("log10_spectral_norm")
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _phases(run: Run, cells: Results) -> list[Block]:
    if not len(cells.select(AT_INIT, tau="fixed", tau0="1", gamma=0.5)):
        return [Missing("no nets at τ = 1 yet.", run.command("gradient_atlas"))]
    source = run.source("gradient_atlas", cells)
    return [
        Picture(
            "gradient-phases",
            "Growth of ‖∂J/∂y‖ from the last hidden layer to the first, before training, by depth "
            "and scale of the weights at τ = 1. Purple: vanishing, orange: exploding; lines are "
            "the thresholds of mean-field theory (dashed: vanishing, solid: exploding).",
            partial(phase_diagram, cells),
            "Phase diagrams of four nets over depth and weight scale: only the feedforward net "
            "vanishes, all explode when deep with large weights.",
            source,
        ),
    ]


def _by_layer(run: Run, cells: Results, deepest: int) -> list[Block]:
    if not len(cells.select(AT_INIT, tau="fixed", hidden=deepest, scale=1.0)):
        what = f"no nets of {deepest} layers with He's weights and τ fixed yet."
        return [Missing(what, run.command("gradient_atlas"))]
    source = run.source("gradient_atlas", cells)
    return [
        Picture(
            "gradient-profiles",
            f"‖∂J/∂y[k]‖ by layer in nets of {deepest} hidden layers with He's weights; dotted: "
            "mean-field theory, which uses second moments only.",
            partial(layer_profiles, cells, deepest),
            f"Gradient norms by layer for {deepest} layers at τ = 1 and τ = 1/H.",
            source,
        ),
        Picture(
            "jacobian-spectra",
            f"Singular values of the end-to-end Jacobian dy[H]/dy[1] in nets of {deepest} hidden "
            "layers with He's weights, as far as float64 resolves them: a wide spectrum lets some "
            "directions explode while others vanish.",
            partial(jacobian_spectra, cells, deepest),
            f"Singular values of end-to-end Jacobians, {deepest} layers, τ = 1 and τ = 1/H.",
            source,
        ),
    ]


def _deepest(cells: Results) -> int:
    """The deepest nets of which there are several, if there are; a run may have just begun."""
    depths: list[int] = cells.distinct("hidden")
    several = [depth for depth in depths if len(cells.select(AT_INIT, hidden=depth)) > 3]
    return max(several or depths)


def _decay(run: Run) -> list[Block]:
    """The Fractional-DNN's memory by itself, where the run looked at it."""
    cells = run.results.select(DECAY)
    if not len(cells):
        return []
    slopes = decay_slopes(cells)
    if not slopes:
        what = "no two depths of a Fractional-DNN without weights yet."
        return [Missing(what, run.command("gradient_atlas"))]
    off = max(abs(slope + 1 - gamma) for gamma, slope in slopes.items())
    return [
        Picture(
            "algebraic-decay",
            "|∂y[H]/∂y[1]| of a Fractional-DNN without weights by depth H and order γ. It falls "
            "like H^−(1−γ), the slope of the lines, where a ResNet's stays one; between the two "
            f"deepest nets measured slopes differ from it by at most {off:.3f}.",
            partial(memory_decay, cells),
            "Decay of the derivative of a Fractional-DNN without weights over depth, by γ.",
            run.source("gradient_atlas", cells),
        )
    ]


def _agreement(cells: Results) -> str:
    errors = [error for error in cells.value("theory_error") if error is not None]
    labels = cells.value("label")
    counts = ", ".join(f"{labels.count(label)} {label}" for label in sorted(set(labels)))
    worst = f"{max(errors):.1e}" if errors else "–"
    return (
        f"Nets: {len(cells)}, of which {counts}. The products and recursions of the paper's "
        "Section 6, with their index corrected and their τ-column completed, agree with the "
        f"measured norms; the largest relative difference, wherever float64 holds them, is {worst}."
    )


def _depths(cells: Results) -> list[int]:
    """Every depth, or so many of them that the table fits the page; the last always."""
    depths = cells.select(AT_INIT, scale=1.0).distinct("hidden")
    places = np.linspace(0, len(depths) - 1, min(len(depths), MOST_DEPTHS)).round().astype(int)
    return [depths[place] for place in places]


def _along(run: Run) -> list[Block]:
    cells = _with_most_samples(run.results.select(IN_TRAINING))
    if not len(cells):
        return [Missing("no trainings with τ fixed and learned.", run.command("learned_tau"))]
    blocks: list[Block] = []
    for net in cells.distinct("net"):
        for hidden in cells.distinct("hidden"):
            for optimizer in cells.distinct("optimizer"):
                mode = {"net": net, "hidden": hidden, "optimizer": optimizer}
                found = cells.select(IN_TRAINING, **mode)
                name = f"{net_title(net)} of {hidden} layers, {optimizer}"
                if _has_both(found):
                    blocks += _mode_blocks(run, found, name, f"{net}-{hidden}-{optimizer}")
                elif len(found):
                    what = f"{name}: τ fixed and τ learned from 1/H are not both there."
                    blocks.append(Missing(what, run.command("learned_tau")))
    return blocks


def _has_both(cells: Results) -> bool:
    arms = ({"tau": tau, "tau0": "1/H"} for tau in ("fixed", "learned"))
    return all(len(cells.select(IN_TRAINING, **arm)) for arm in arms)


def _with_most_samples(cells: Results) -> Results:
    """A run may hold several presets; arms are compared within one of them."""
    most = max(cells.distinct("samples"), default=0)
    return cells.select(IN_TRAINING, samples=most)


def _mode_blocks(run: Run, cells: Results, name: str, slug: str) -> list[Block]:
    source = run.source("learned_tau", cells)
    return [
        Picture(
            f"heatmaps-{slug}",
            f"{name}: gradient norms of hidden weights by layer and step, first seed.",
            partial(gradient_heatmaps, cells),
            f"Heatmaps of gradient norms along training for {name}, fixed and learned τ.",
            source,
        ),
        Picture(
            f"tau-trajectories-{slug}",
            f"{name}: every layer's τ along training, for one seed. Whether a learned τ helps is "
            "the subject of the section “Is a learned τ worth it?”.",
            partial(tau_trajectories, cells),
            f"Trajectories of learned τ for {name}.",
            source,
        ),
    ]
