"""Gradients by layer before training: where they vanish and explode, compared with mean field."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.claims.themes.phases import KIND as WIDE
from bench.claims.themes.phases import Line, nets_of, phase_lines, plain
from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.gradients import phase_diagram, phases_by_activation
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
    "the second moments of random weights only: dashed where gradients begin to vanish, solid "
    "where they begin to explode, dotted where they neither grow nor fall."
)
PHASES = (
    "Growth of ‖∂J/∂y‖ from the last hidden layer to the first, before training, by depth and "
    "scale of the weights at τ = 1. Purple: vanishing; orange: exploding; lines: mean field."
)
ACTIVATIONS = (
    "The same for every architecture and activation; medians over seeds. Without a dotted line "
    "gradients grow at every scale."
)
JACOBIANS = (
    "log₁₀ of the geometric mean of ‖dy[H]/dy[1]‖ before training, He's weights, medians over "
    "seeds, at some of the depths."
)
LINES = (
    "The weight scale, relative to He's, at which growth passes three decades at the largest "
    "width, measured and predicted: from the second moments of the states, and from the law of the "
    "weights alone where that is closed."
)
COLUMNS = [
    Column("net"), Column("line"), Column("H", "count"), Column("width", "count"),
    Column("measured", "number"), Column("predicted", "number"), Column("off", "number"),
    Column("from the law alone", "number"),
]  # fmt: skip


def contents(run: Run) -> list[Block]:
    cells, wide = run.results.select(KIND), nets_of(run.results.select(WIDE))
    source = run.source(STUDY, cells)
    blocks: list[Block] = []
    if len(cells.select(KIND, tau="fixed", tau0="1", gamma=0.5)):
        draw = partial(phase_diagram, cells)
        blocks.append(Picture("gradient-phases", PHASES, draw, PHASES, source))
    if len(activations := plain(wide)):
        draw, source = partial(phases_by_activation, activations), run.source(STUDY, wide)
        blocks.append(Picture("phases-by-activation", ACTIVATIONS, draw, ACTIVATIONS, source))
    if len(chosen := cells.select(KIND, scale=1.0, gamma=0.5)):
        blocks.append(_jacobians(run, chosen))
    if rows := _rows(phase_lines(plain(wide, activation="smoothrelu"))):
        blocks.append(Table("phase-lines", LINES, COLUMNS, rows, source))
    return [Paragraph(TEXT), *blocks] if blocks else []


def _rows(lines: list[Line]) -> list[list[Value]]:
    order = in_place("net", {line.net for line in lines})
    return [
        [net_title(line.net), line.name, line.hidden, line.width, line.measured, line.predicted,
         line.off, line.before]
        for line in sorted(lines, key=lambda line: order.index(line.net))
    ]  # fmt: skip


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
    return medians_by("jacobian-norms", JACOBIANS, ("net", "τ"), groups, measures, source)  # type: ignore[arg-type]


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
