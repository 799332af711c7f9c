"""Gradients by layer before training: where they vanish and explode, compared with mean field."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.claims.themes.phases import KIND as WIDE
from bench.claims.themes.phases import nets_of, phase_lines, plain
from bench.store.results import Results
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Table, Value
from reports.figures.gradients import phase_diagram, phases_by_activation
from reports.names import in_place, net_title
from reports.tables import Entry, grouped, known_median, medians_by, table_of

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
ENTRIES: list[Entry] = [
    ("net", "text", lambda line: net_title(line.net)),
    ("line", "text", lambda line: line.name),
    ("H", "count", lambda line: line.hidden),
    ("width", "count", lambda line: line.width),
    ("measured", "number", lambda line: line.measured),
    ("predicted", "number", lambda line: line.predicted),
    ("off", "number", lambda line: line.off),
    ("from the law alone", "number", lambda line: line.before),
]


def contents(run: Run) -> list[Block]:
    cells, wide = run.results.select(KIND), nets_of(run.results.select(WIDE))
    fixed = cells.select(KIND, tau="fixed", tau0="1", gamma=0.5)
    activations = plain(wide)
    lines = phase_lines(plain(wide, activation="smoothrelu"))
    order = in_place("net", {line.net for line in lines})
    lines.sort(key=lambda line: order.index(line.net))
    draw, source = partial(phases_by_activation, activations), run.source(STUDY, activations)
    return [
        Paragraph(TEXT),
        Picture("gradient-phases", PHASES, partial(phase_diagram, fixed), run.source(STUDY, fixed)),
        Picture("phases-by-activation", ACTIVATIONS, draw, source),
        _jacobians(run, cells.select(KIND, scale=1.0, gamma=0.5)),
        table_of("phase-lines", LINES, lines, ENTRIES, source),
    ]


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
    return known_median(group.select(KIND, hidden=hidden).value("log10_spectral_norm"))


def _depths(chosen: Results) -> list[int]:
    """Every depth, or so many of them that the table fits the page; the last always."""
    depths = chosen.distinct("hidden")
    places = np.linspace(0, len(depths) - 1, min(len(depths), MOST_DEPTHS)).round().astype(int)
    return [depths[place] for place in places]
