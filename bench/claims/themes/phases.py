"""Where gradients start to vanish and to explode over the scale of the weights: theory's lines.

A cell of the widened atlas is a line of many random nets; `nets_of` takes it apart into one result
per net, so that whoever looks at scales and seeds need not know how cells are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from bench.claims.claim import Claim
from bench.claims.findings import Checked, Finding, need
from bench.claims.themes.theory import RANDOM
from bench.store.results import Results, StoredResult, median

KIND = "mean_field"
LEVELS = {"vanishing": -3.0, "exploding": 3.0}  # decades: the rules of `nets.gradients.verdict`
WIDE, SEEDS, CLOSE = 1000, 5, 0.10


@dataclass(frozen=True)
class Line:
    """The scale at which growth passes a threshold in nets of one kind, measured and predicted.

    `before` uses the law of the weights only, `predicted` the second moments of their states.
    """

    net: str
    name: str
    hidden: int
    width: int
    measured: float
    predicted: float
    before: float | None

    @property
    def off(self) -> float:
        return abs(self.predicted / self.measured - 1.0)


def nets_of(results: Results) -> Results:
    """One result per random net: of its scale, its seed, with numbers for values."""
    return Results([net for record in results.select(KIND) for net in _nets(record)])


def _nets(record: StoredResult) -> Iterator[StoredResult]:
    if record.config.get("normalisation", "none") != "none":  # of a run before version 0.3
        return
    scales, seeds = record.config["scales"], record.config["seeds"]
    for (k, scale), (j, seed) in product(enumerate(scales), enumerate(seeds)):
        values = {name: rows[k][j] for name, rows in record.values.items() if name != "diverged"}
        yield replace(record, config={**record.config, "scale": scale, "seed": seed}, values=values)


def plain(nets: Results, **config: object) -> Results:
    """Nets from He's weights as they are, memory of order one half; a run may have none yet."""
    return nets.select(KIND, init="he", gamma=0.5, **config)


def phase_lines(nets: Results, width: int | None = None) -> list[Line]:
    """By net, depth and threshold, where it is passed between the scales of the run."""
    chosen = plain(nets, activation="smoothrelu")
    width = max(chosen.distinct("width"), default=0) if width is None else width
    at = chosen.select(KIND, width=width)
    places = product(at.distinct("net"), at.distinct("hidden"), LEVELS.items())
    lines = []
    for net, hidden, (name, level) in places:
        of = at.select(KIND, net=net, hidden=hidden)
        measured, predicted, before = (
            crossing(*_medians(of, f"log10_growth{which}"), level)
            for which in ("", "_predicted", "_before")
        )
        if measured is not None and predicted is not None:
            lines.append(Line(net, name, hidden, width, measured, predicted, before))
    return lines


def _medians(nets: Results, name: str) -> tuple[list[float], list[float]]:
    """Scales with their medians over seeds, where there are numbers."""
    rows = {scale: nets.select(KIND, scale=scale).value(name) for scale in nets.distinct("scale")}
    known = {scale: [v for v in row if v is not None] for scale, row in rows.items()}
    found = {scale: median(row) for scale, row in known.items() if row}
    return list(found), list(found.values())


def crossing(places: Sequence[float], values: Sequence[float], level: float) -> float | None:
    """Where a curve passes a level, linear in the logarithm of its places; None: nowhere."""
    gaps = [value - level for value in values]
    for k in range(len(gaps) - 1):
        if gaps[k] * gaps[k + 1] <= 0 and gaps[k] != gaps[k + 1]:
            share = gaps[k] / (gaps[k] - gaps[k + 1])
            return float(places[k] * (places[k + 1] / places[k]) ** share)
    return None


def _lines_as_predicted(results: Results) -> Finding:
    wide = Results([r for r in nets_of(results) if r.config["width"] >= WIDE])
    seeds, lines = len(wide.distinct("seed")), phase_lines(wide)
    worst = max(need(lines if seeds >= SEEDS else []), key=lambda line: line.off)
    law = [abs(line.before / line.measured - 1.0) for line in lines if line.before is not None]
    what = (
        f"phase lines: {len(lines)}; width {worst.width}, "
        f"H = {worst.hidden}, {seeds} seeds: off by at most {worst.off:.2%} ({worst.net}, "
        f"{worst.name})"
    )
    if law:
        what += f"; from the law of the weights alone {max(law):.2%} ({len(law)} lines)"
    keys, ends = tuple(dict.fromkeys(wide.keys())), (min(line.off for line in lines), worst.off)
    return Checked(worst.off <= CLOSE, keys, what, RANDOM, worst.off, ends, seeds)


CLAIMS = [
    Claim(
        name="mean-field-phase-lines",
        sentence="Mean-field theory says at which weight scale the gradients of wide nets begin to "
        "vanish and to explode.",
        criterion=f"at width {WIDE} or more and τ = 1, every scale at which the median growth "
        f"over at least {SEEDS} seeds passes three decades is predicted within {CLOSE:.0%}, for "
        "every architecture",
        declared="2026-11-17 70676de8",
        needs="gradient_atlas --preset paper",
        examine=_lines_as_predicted,
    ),
]
