"""Gradients by activation, start and width, compared with mean-field theory."""

from __future__ import annotations

from functools import partial

from bench.claims.themes.phases import KIND, Line, nets_of, phase_lines, plain
from bench.store.results import Results
from reports.context import Run
from reports.document import (
    Block,
    Column,
    Missing,
    Paragraph,
    Picture,
    Section,
    Source,
    Table,
    Value,
)
from reports.figures.mean_field import (
    XI,
    edge_scales,
    growth_by_start,
    growth_by_width,
    growth_with_layer_norm,
    normalised_feedforward,
    phases_by_activation,
)
from reports.figures.spectra import (
    TRAINED,
    correlation_lengths,
    length_errors,
    spectra_along_training,
)
from reports.names import in_place, net_title

TITLE = "Gradients by activation, start and width"
ORDER = 71
STUDIES = ()  # the quick preset has none of it, and nothing is missing there
GAP = ""


def contents(run: Run) -> list[Block | Section]:
    kinds = {kind: run.results.select(kind) for kind in (KIND, XI, TRAINED)}
    return _wide(run, kinds) if any(map(len, kinds.values())) else []


def _wide(run: Run, kinds: dict[str, Results]) -> list[Block | Section]:
    together = Results([record for cells in kinds.values() for record in cells])
    nets = nets_of(together)
    parts = (
        (_by_width, plain(nets, activation="smoothrelu")),
        (_phases, plain(nets)),
        (_lengths, kinds[XI]),
        (_by_start, nets if len(normalised_feedforward(nets)) else Results([])),
        (_layer_norm, nets.select(KIND, init="he", gamma=0.5, normalisation="layer")),
        (_trained, kinds[TRAINED]),
    )
    blocks: list[Block | Section] = []
    for part, its in parts:
        if len(its):
            source = run.source("gradient_atlas", kinds[its.records[0].kind])
            blocks += part(its, kinds[XI], source)
    if not all(len(its) for _, its in parts):
        what = "some of the activations, starts, widths and trainings are not computed yet."
        blocks.append(Missing(what, run.command("gradient_atlas")))
    return blocks


def _over_seeds(nets: Results) -> str:
    seeds = len(nets.distinct("seed"))
    return f"over {seeds} seeds" if seeds > 1 else "of one seed"


def _phases(nets: Results, theory: Results, source: Source) -> list[Block]:
    edges = edge_scales(theory)
    listed = ", ".join(f"{name} {scale:.2f}" for name, scale in sorted(edges.items()))
    edge = f" Green: the edge of chaos (scales: {listed})." if edges else ""
    return [
        Picture(
            "phases-by-activation",
            "Where gradients vanish (purple) and explode (orange) before training, by depth and "
            "scale of the weights, for every architecture and activation at τ = 1; medians "
            f"{_over_seeds(nets)}. Lines: mean field (dashed: vanishing, dotted: neither grows "
            f"nor falls, solid: exploding).{edge} Nets with skips have no edge: where no dotted "
            "line is, gradients grow at every scale.",
            partial(phases_by_activation, nets, edges),
            "Phase diagrams by architecture and activation with the lines of mean-field theory.",
            source,
        )
    ]


def _lengths(cells: Results, _: Results, source: Source) -> list[Block]:
    errors = length_errors(cells)
    off = " and ".join(f"{off:.0%} in the {phase} phase" for phase, off in errors.items())
    first = cells.records[0].config
    return [
        Picture(
            "correlation-lengths",
            "Correlation length ξ, the number of layers over which two inputs become as alike as "
            "they will be, by variance of the weights, in feedforward nets of width "
            f"{first['width']} with biases of variance {first['bias_variance']:g}: marks measured, "
            f"with ranges over seeds, lines predicted. Largest difference: {off or '–'}. In the "
            "chaotic phase correlations fluctuate at finite width, so seeds scatter there.",
            partial(correlation_lengths, cells),
            "Correlation length by weight variance for every activation, measured and predicted.",
            source,
        )
    ]


def _by_width(nets: Results, _: Results, source: Source) -> list[Block]:
    lines = phase_lines(nets)
    return [
        Paragraph(
            "Where gradients begin to vanish and to explode, measured and predicted by mean-field "
            "theory ([[phase-lines]])."
        ),
        Picture(
            "growth-by-width",
            "Growth of ‖∂J/∂y‖ from the last hidden layer to the first by width: medians with "
            f"bands {_over_seeds(nets)}; dotted: mean field at the largest width.",
            partial(growth_by_width, nets),
            "Growth of gradients by weight scale, for several widths and architectures.",
            source,
        ),
        Table(
            "phase-lines",
            "The weight scale, relative to He's, at which growth passes three decades at the "
            "largest width, measured and predicted: from the second moments of the states, and "
            "from the law of the weights alone where that is closed.",
            [
                Column("net"), Column("line"), Column("H", "count"), Column("width", "count"),
                Column("measured", "number"), Column("predicted", "number"),
                Column("off", "number"), Column("from the law alone", "number"),
            ],
            _rows(lines),
            source,
        ),
    ]  # fmt: skip


def _rows(lines: list[Line]) -> list[list[Value]]:
    order = in_place("net", {line.net for line in lines})
    return [
        [net_title(line.net), line.name, line.hidden, line.width, line.measured, line.predicted,
         line.off, line.before]
        for line in sorted(lines, key=lambda line: order.index(line.net))
    ]  # fmt: skip


def _by_start(nets: Results, _: Results, source: Source) -> list[Block]:
    return [
        Picture(
            "growth-by-start",
            "Growth of gradients in feedforward nets by start and activation: as they are, from a "
            "start whose pre-activations have variance one, and with LayerNorm before every "
            "activation. Crosses: mean field; band: healthy.",
            partial(growth_by_start, nets),
            "Growth of gradients in feedforward nets by starting weights and activation.",
            source,
        )
    ]


def _layer_norm(nets: Results, theory: Results, source: Source) -> list[Block]:
    gains = {r.config["activation"]: r.values["layer_norm_gain"] for r in theory}
    listed = ", ".join(f"{name} {gain:.3f}" for name, gain in sorted(gains.items()))
    closed = f" χ = E[σ′²]/E[σ²] per layer of the feedforward net: {listed}." if gains else ""
    return [
        Picture(
            "growth-with-layer-norm",
            "Growth of gradients by depth with LayerNorm before every activation, which removes "
            "the scale of the weights: what is left is the activation's own. Medians with bands "
            f"{_over_seeds(nets)}; dotted: mean field.{closed}",
            partial(growth_with_layer_norm, nets),
            "Growth of gradients by depth with LayerNorm, by architecture and activation.",
            source,
        )
    ]


def _trained(cells: Results, _: Results, source: Source) -> list[Block]:
    return [
        Picture(
            "spectra-in-training",
            "Largest and smallest singular value of dy[H]/dy[1] by step of the training, medians "
            "over seeds, from He's weights and from orthogonal ones; values 15 decades below the "
            "largest are rounding and cut off.",
            partial(spectra_along_training, cells),
            "Extreme singular values of end-to-end Jacobians along training, by net and τ.",
            source,
        ),
    ]
