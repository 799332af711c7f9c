"""Gradients by activation and width, compared with mean-field theory."""

from __future__ import annotations

from functools import partial

from bench.claims.themes.phases import KIND, Line, nets_of, phase_lines, plain
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.mean_field import phases_by_activation
from reports.names import in_place, net_title

TITLE = "Gradients by activation and width"
ORDER = 71
TEXT = (
    "Where gradients begin to vanish and to explode, measured and predicted by mean-field theory "
    "for every architecture and activation."
)
PHASES = (
    "Where gradients vanish (purple) and explode (orange) before training, by depth and scale of "
    "the weights, for every architecture and activation at τ = 1; medians over seeds. Lines: mean "
    "field (dashed: vanishing, dotted: neither grows nor falls, solid: exploding). Without a "
    "dotted line gradients grow at every scale."
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
    nets = nets_of(run.results.select(KIND))
    activations, widths = plain(nets), plain(nets, activation="smoothrelu")
    source = run.source("gradient_atlas", nets)
    blocks: list[Block] = []
    if len(activations):
        draw = partial(phases_by_activation, activations)
        blocks.append(Picture("phases-by-activation", PHASES, draw, PHASES, source))
    if rows := _rows(phase_lines(widths)):
        blocks.append(Table("phase-lines", LINES, COLUMNS, rows, source))
    return [Paragraph(TEXT), *blocks] if blocks else []


def _rows(lines: list[Line]) -> list[list[Value]]:
    order = in_place("net", {line.net for line in lines})
    return [
        [net_title(line.net), line.name, line.hidden, line.width, line.measured, line.predicted,
         line.off, line.before]
        for line in sorted(lines, key=lambda line: order.index(line.net))
    ]  # fmt: skip
