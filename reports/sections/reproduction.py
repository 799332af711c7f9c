"""The paper's printed numbers, the run that comes closest to each, and how far it stays away."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims.reproduction import closest
from reports.context import Run
from reports.document import Column, Paragraph, Section, Source, Table

ORDER = 45


def section(run: Run) -> Section | None:
    found = closest(run.results)
    if not found:
        return None
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
    return Section(
        "The paper's numbers",
        [Paragraph(text), Table("reproduction", caption, columns, rows, source)],
    )


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3g}" for value in values)
