"""Every activation, start and width beside mean-field theory; in presets that widen the atlas."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

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
    KIND,
    growth_by_start,
    growth_by_width,
    medians,
    normalised_feedforward,
    phases_by_activation,
    plain,
)
from reports.names import in_place, net_title

TITLE = "Gradients by activation, start and width"
ORDER = 71
STUDIES = ()  # the quick preset has none of it, and nothing is missing there
GAP = ""
LEVELS = {"vanishing": -3.0, "exploding": 3.0}


def contents(run: Run) -> list[Block | Section]:
    cells = run.results.select(KIND)
    return _wide(run, cells) if len(cells) else []


def _wide(run: Run, cells: Results) -> list[Block | Section]:
    source = run.source("gradient_atlas", cells)
    parts = {
        _by_width: plain(cells, activation="smoothrelu"),
        _phases: plain(cells),
        _by_start: normalised_feedforward(cells),
    }
    blocks: list[Block | Section] = [
        block for part, its in parts.items() if len(its) for block in part(cells, source)
    ]
    if not all(map(len, parts.values())):
        what = "some of the activations, starts and widths are not computed yet."
        blocks.append(Missing(what, run.command("gradient_atlas")))
    return blocks


def _over_seeds(cells: Results) -> str:
    return f"over {len(cells.distinct('seed'))} seeds"


def _phases(cells: Results, source: Source) -> list[Block]:
    return [
        Picture(
            "phases-by-activation",
            "Where gradients vanish (purple) and explode (orange) before training, by depth and "
            "scale of the weights, for every architecture and activation at τ = 1; medians "
            f"{_over_seeds(cells)}. Lines: mean field (dashed: vanishing, solid: exploding).",
            partial(phases_by_activation, cells),
            "Phase diagrams by architecture and activation with the lines of mean-field theory.",
            source,
        )
    ]


def _by_width(cells: Results, source: Source) -> list[Block]:
    rows = phase_lines(cells)
    return [
        Paragraph(_sentence(rows)),
        Picture(
            "growth-by-width",
            "Growth from the last hidden layer to the first for several widths: medians with bands "
            f"{_over_seeds(cells)}; dotted: mean field at the largest width.",
            partial(growth_by_width, cells),
            "Growth of gradients by weight scale, for several widths and architectures.",
            source,
        ),
        Table(
            "phase-lines",
            "The weight scale, relative to He's, at which growth passes three decades at the "
            "largest width, measured and predicted.",
            [
                Column("net"), Column("line"), Column("H", "count"), Column("width", "count"),
                Column("measured", "number"), Column("predicted", "number"),
                Column("predicted/measured", "number"),
            ],
            rows,
            source,
        ),
    ]  # fmt: skip


def _by_start(cells: Results, source: Source) -> list[Block]:
    return [
        Picture(
            "growth-by-start",
            "Feedforward nets by start and activation, as they are and with pre-activations scaled "
            "to variance one; crosses: mean field; the band is what counts as healthy.",
            partial(growth_by_start, cells),
            "Growth of gradients in feedforward nets by starting weights and activation.",
            source,
        )
    ]


def _sentence(rows: list[list[Value]]) -> str:
    ratios = [row[-1] for row in rows if isinstance(row[-1], float)]
    if not ratios:
        return "No phase line is crossed within the scales of this run."
    worst = max(ratios, key=lambda ratio: abs(math.log(ratio)))
    return (
        f"At the largest width, {len(ratios)} phase lines are crossed; mean field puts them at "
        f"{min(ratios):.3f} to {max(ratios):.3f} of the measured scale, {abs(worst - 1):.1%} off "
        "at worst."
    )


def phase_lines(cells: Results) -> list[list[Value]]:
    """One row per net and threshold that is crossed between the scales of the run."""
    chosen = plain(cells, activation="smoothrelu")
    width = max(chosen.distinct("width"), default=0)
    rows: list[list[Value]] = []
    for net in in_place("net", chosen.distinct("net")):
        of_net = chosen.select(KIND, net=net, width=width)
        for depth in of_net.distinct("hidden"):
            at = of_net.select(KIND, hidden=depth)
            for line, level in LEVELS.items():
                measured, predicted = (
                    crossing(*medians(at, name, "scale")[:2], level)
                    for name in ("log10_growth", "log10_growth_predicted")
                )
                if measured is not None and predicted is not None:
                    ratio = predicted / measured
                    row = [net_title(net), line, depth, width, measured, predicted, ratio]
                    rows.append(row)
    return rows


def crossing(places: list[float], values: np.ndarray, level: float) -> float | None:
    """Where a curve passes a level, linear in the logarithm of its places; None: nowhere."""
    logs, gaps = np.log(places), np.asarray(values) - level
    for k in range(len(gaps) - 1):
        if gaps[k] * gaps[k + 1] <= 0 and gaps[k] != gaps[k + 1]:
            share = gaps[k] / (gaps[k] - gaps[k + 1])
            return float(np.exp(logs[k] + share * (logs[k + 1] - logs[k])))
    return None
