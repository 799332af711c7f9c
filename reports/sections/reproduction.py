"""The paper's printed numbers, and the run that is closest to each."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims.themes.reproduction import Closest, closest, closest_with_penalty
from reports.context import Run
from reports.document import Block, Column, Paragraph, Source, Table, Value

TITLE = "The paper's printed numbers"
ORDER = 53
TEXT = (
    "The paper states steepest descent, 1000 steps and no penalty for its 5-10 net only, and "
    "neither γ nor starting values nor the line search. In its figures the MSE rises while the "
    "loss falls, so a penalty was active. Judge differences by the range over all runs."
)
COLUMNS = [
    Column("quantity"),
    Column("penalty λ₂", "number"),
    Column("the paper's"),
    Column("closest run"),
    Column("largest difference", "number"),
    Column("smallest to largest of all runs"),
    Column("runs", "count"),
]


def contents(run: Run) -> list[Block]:
    found = closest(run.results)
    lambda2, penalised = closest_with_penalty(run.results)
    rows = [_row(entry, 0.0) for entry in found] + [_row(entry, lambda2) for entry in penalised]
    if not rows:
        return []
    caption = "The paper's printed numbers and the run that is closest to each of them."
    source = Source(run.command("training"), tuple(entry.cell for entry in [*found, *penalised]))
    return [Paragraph(TEXT), Table("reproduction", caption, COLUMNS, rows, source)]


def _row(entry: Closest, lambda2: float) -> tuple[Value, ...]:
    between = f"{_list(entry.low)} to {_list(entry.high)}"
    return (entry.quantity, lambda2, _list(entry.paper), _list(entry.ours), entry.distance, between,
            entry.runs)  # fmt: skip


def _list(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3g}" for value in values)
