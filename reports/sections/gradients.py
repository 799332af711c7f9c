"""Gradients by layer before training: where they vanish and explode."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Table, Value
from reports.figures.gradients import layer_profiles, phase_diagram
from reports.names import in_place, net_title
from reports.tables import grouped, medians_by

TITLE = "Vanishing and exploding gradients"
ORDER = 70
STUDY = "gradient_atlas"
MOST_DEPTHS = 6  # columns of the table of Jacobian norms
KIND = "gradients_at_init"
TEXT = (
    "Let r be the norm of ∂J/∂y at the first hidden layer over that at the last; y[k] is the state "
    "of layer k, H the number of hidden layers. Gradients vanish if r < 10⁻³ and explode if "
    "r > 10³; otherwise they are healthy. Lines are predictions of mean-field theory, which uses "
    "the second moments of random weights only."
)
PHASES = (
    "Growth of ‖∂J/∂y‖ from the last hidden layer to the first, before training, by depth and "
    "scale of the weights at τ = 1. Purple: vanishing; orange: exploding; lines: the thresholds "
    "of mean-field theory (dashed: vanishing, solid: exploding)."
)
PROFILES = (
    "‖∂J/∂y[k]‖ by layer in deep nets with He's weights at τ = 1 and τ = 1/H; dotted: mean field."
)
TABLE = (
    "log₁₀ of the geometric mean of ‖dy[H]/dy[1]‖ before training, He's weights, medians over "
    "seeds, at some of the depths."
)


def contents(run: Run) -> list[Block]:
    cells = run.results.select(KIND)
    source = run.source(STUDY, cells)
    blocks: list[Block] = []
    if len(cells.select(KIND, tau="fixed", tau0="1", gamma=0.5)):
        draw = partial(phase_diagram, cells)
        blocks.append(Picture("gradient-phases", PHASES, draw, PHASES, source))
    if depth := _deepest(cells):
        draw = partial(layer_profiles, cells, depth)
        blocks.append(Picture("gradient-profiles", PROFILES, draw, PROFILES, source))
    if len(chosen := cells.select(KIND, scale=1.0, gamma=0.5)):
        blocks.append(_jacobians(run, chosen))
    return [Paragraph(TEXT), *blocks] if blocks else []


def _deepest(cells: Results) -> int | None:
    """The deepest nets with He's weights of which there are several at both step sizes."""
    he = cells.select(KIND, tau="fixed", scale=1.0)
    depths = [
        depth
        for depth in he.distinct("hidden")
        if all(len(he.select(KIND, hidden=depth, tau0=tau0)) for tau0 in ("1", "1/H"))
    ]
    return max(depths, default=None)


def _jacobians(run: Run, chosen: Results) -> Table:
    order = in_place("net", chosen.distinct("net"))
    found = grouped(chosen, "net", "tau", "tau0").items()
    groups = {
        (net_title(str(net)), tau0 if tau == "fixed" else f"{tau}, τ₀ = {tau0}"): group
        for (net, tau, tau0), group in sorted(
            found, key=lambda g: (order.index(str(g[0][0])), g[0][1:])
        )
    }
    measures = [(f"H = {h}", "rate", partial(_norm, hidden=h)) for h in _depths(chosen)]
    source = run.source(STUDY, chosen)
    return medians_by("jacobian-norms", TABLE, ("net", "τ"), groups, measures, source)  # type: ignore[arg-type]


def _norm(group: Results, hidden: int) -> Value:
    """Of the seeds whose Jacobian float64 holds."""
    values = group.select(KIND, hidden=hidden).value("log10_spectral_norm")
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _depths(chosen: Results) -> list[int]:
    """Every depth, or so many of them that the table fits the page; the last always."""
    depths = chosen.distinct("hidden")
    places = np.linspace(0, len(depths) - 1, min(len(depths), MOST_DEPTHS)).round().astype(int)
    return [depths[place] for place in places]
