"""The paper's printed numbers, the run that comes closest to each, and how far it stays away."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims.reproduction import closest
from reports.context import Run
from reports.document import Block, Column, Paragraph, Source, Table

TITLE = "The paper's numbers"
ORDER = 45
STUDIES = ()  # the ledger names the runs that are missing
GAP = ""


def contents(run: Run) -> list[Block]:
    found = closest(run.results)
    if not found:
        return []
    rows = [
        (
            entry.quantity,
            _numbers(entry.paper),
            _numbers(entry.ours),
            entry.distance,
            f"{_numbers(entry.low)} to {_numbers(entry.high)}",
            entry.runs,
        )
        for entry in found
    ]
    columns = [
        Column("quantity"),
        Column("the paper's"),
        Column("closest run"),
        Column("largest difference", "number"),
        Column("smallest to largest of all runs"),
        Column("runs", "count"),
    ]
    source = Source(run.command("training"), tuple(entry.cell for entry in found))
    text = (
        "γ, the starting τ, the starting weights and the line search are not stated in the paper, "
        "so a number can only be approached; the spread over seeds says how near is near."
    )
    caption = "The printed numbers and the closest reproduction in this run."
    return [Paragraph(text), Table("reproduction", caption, columns, rows, source)]


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3g}" for value in values)
