"""Who would have known: what a user without u can compute, counted over nets beside edges."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims.themes.reentrant import ESTIMATED, INDICATORS, thresholds, warned
from bench.store.results import StoredResult
from reports.document import Block, Column, Paragraph, Source, Table, Value


def blocks(records: Sequence[StoredResult], source: Source) -> list[Block]:
    """What the indicators are, and how often each warns, misses, and alarms falsely."""
    rows = warning_rows(records)
    return [
        Paragraph(_about(records)),
        Table("reentrant-indicators", _caption(rows), WARNINGS, rows, source),
    ]


WARNINGS = [
    Column("indicator"),
    Column("warns above", "number"),
    Column("wrong ends", "count"),
    Column("warned of", "count"),
    Column("missed", "count"),
    Column("right ends", "count"),
    Column("false alarms", "count"),
]


def warning_rows(records: Sequence[StoredResult]) -> list[tuple[Value, ...]]:
    """Of every indicator: its threshold, hits, misses, false alarms."""
    said = [warned(record) for record in records]
    wrong = sum(is_wrong for is_wrong, _ in said)
    rows: list[tuple[Value, ...]] = []
    for name, key in INDICATORS.items():
        hits = sum(is_wrong and warns[name] for is_wrong, warns in said)
        false = sum(not is_wrong and warns[name] for is_wrong, warns in said)
        limit = 1.0 if key is None else thresholds()[key]
        label = f"{name}, by its own estimate" if name == ESTIMATED else name
        rows.append((label, limit, wrong, hits, wrong - hits, len(said) - wrong, false))
    return rows


def _about(records: Sequence[StoredResult]) -> str:
    beside = records[0].values
    factor = float(beside["coarse_estimate"]) / float(beside["coarse_error"])
    return (
        "What a user without u can compute: the loss at held-out points (of the weak form, by the "
        "functions of another mesh) over the loss at its own; the field v tested with the "
        "gradients of a coarse mesh, sup (v − u, ∇q)/‖∇q‖ over ‖v‖, a lower bound of the error "
        "that needs the data alone; the distance from a coarse N₀ solve over the size of that "
        "solve; and that "
        f"distance over the solve's own estimate of its error (here {factor:.1f} times the error). "
        "The first three thresholds were fixed on nets told the equations of other problems, at "
        "ends right and wrong; the last needs none."
    )


def _caption(rows: Sequence[tuple[Value, ...]]) -> str:
    wrong, right = _number(rows[0][2]), _number(rows[0][5])
    best = min(rows, key=lambda row: _number(row[4]) + _number(row[6]))
    return (
        f"Of {wrong:.0f} wrong and {right:.0f} right ends, {best[0]} misses "
        f"{_number(best[4]):.0f} and alarms falsely {_number(best[6]):.0f} "
        f"{'time' if best[6] == 1 else 'times'}, the fewest faults of the {len(rows)} indicators."
    )


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else float("inf")
