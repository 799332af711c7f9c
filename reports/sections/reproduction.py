"""The paper's printed numbers, and the run that is closest to each."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims.themes.reproduction import closest, closest_with_penalty
from reports.context import Run
from reports.document import Block, Paragraph, Source
from reports.tables import Entry, table_of

TITLE = "The paper's printed numbers"
ORDER = 53
TEXT = (
    "The paper states steepest descent, 1000 steps and no penalty for its 5-10 net only, and "
    "neither γ nor starting values nor the line search. In its figures the MSE rises while the "
    "loss falls, so a penalty was active. Judge differences by the range over all runs."
)
CAPTION = "The paper's printed numbers and the run that is closest to each of them."


def contents(run: Run) -> list[Block]:
    found = closest(run.results)
    lambda2, penalised = closest_with_penalty(run.results)
    entries: list[Entry] = [
        ("quantity", "text", lambda one: one.quantity),
        ("penalty λ₂", "number", lambda one: lambda2 if one in penalised else 0.0),
        ("the paper's", "text", lambda one: _list(one.paper)),
        ("closest run", "text", lambda one: _list(one.ours)),
        ("largest difference", "number", lambda one: one.distance),
        (
            "smallest to largest of all runs",
            "text",
            lambda one: f"{_list(one.low)} to {_list(one.high)}",
        ),
        ("runs", "count", lambda one: one.runs),
    ]
    both = [*found, *penalised]
    source = Source(run.command("training"), tuple(one.cell for one in both))
    return [Paragraph(TEXT), table_of("reproduction", CAPTION, both, entries, source)]


def _list(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3g}" for value in values)
