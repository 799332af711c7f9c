"""Tables of benchmarks: rows with named cells, taken from `extra_info`, which anybody may write."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from reports.benchmarks.saved import Timed
from reports.document import Block, Column, Source, Table, Value
from reports.formatting import Kind, show
from reports.tables import lean

SOURCE = Source("pytest --benchmark")
APART = ("about", "targets", "limit", "peers", "cpu_seconds", "threads")  # shown elsewhere
KINDS: dict[str, Kind] = {
    "error": "error", "seconds": "seconds", "bytes": "bytes", "ratio": "ratio", "slope": "rate",
}  # fmt: skip


def table(name: str, caption: str, rows: Sequence[Mapping[str, Value]]) -> list[Block]:
    """Make a table with a column for each name in the rows, or nothing without rows."""
    titles = list(dict.fromkeys(title for row in rows for title in row))
    columns = [Column(title, _kind(title, [row.get(title) for row in rows])) for title in titles]
    cells = [tuple(row.get(title) for title in titles) for row in rows]
    return [lean(Table(name, caption, columns, cells, SOURCE))] if rows else []


def _kind(title: str, values: Sequence[Value]) -> Kind:
    """How a column is written: by a word of its title, else by what stands in it."""
    if any(isinstance(value, str) for value in values):
        return "text"
    for word in title.split():
        if word in KINDS:
            return KINDS[word]
    return "number" if any(isinstance(value, float) for value in values) else "count"


def described(timed: Sequence[Timed]) -> list[Block]:
    """What each benchmark measures."""
    kinds: dict[tuple[str, str], list[Timed]] = {}
    for entry in sorted(timed, key=lambda entry: entry.group):
        kinds.setdefault((entry.group, _name(entry)), []).append(entry)
    rows: list[dict[str, Value]] = [
        {
            "benchmark": name,
            "group": group,
            "measures": str(entries[0].info.get("about") or "–"),
            "sizes": len(entries),
        }
        for (group, name), entries in kinds.items()
    ]
    caption = f"What is measured (benchmarks: {len(timed)}, kinds: {len(rows)})."
    return table("what", caption, rows)


def grouped(group: str, timed: Sequence[Timed]) -> list[Block]:
    """One table with every figure of every benchmark of a group."""
    rows: list[dict[str, Value]] = [
        {
            "benchmark": _name(entry),
            "sizes": entry.name.partition("[")[2].removesuffix("]") or "–",
            "median seconds": entry.median,
            "spread seconds": entry.spread if entry.rounds > 1 else None,
            "rounds": entry.rounds,
            "CPU seconds": real(entry.mapping("cpu_seconds").get("ours")),
            **{
                key.replace("_", " "): plain(value)
                for key, value in entry.info.items()
                if key not in APART
            },
        }
        for entry in timed
        if entry.group == group
    ]
    return table(group, f"Benchmarks of the group {group}.", rows)


def _name(entry: Timed) -> str:
    """The benchmark without its sizes: `load and solve` of `test_load_and_solve[n64-kuhn]`."""
    return entry.name.partition("[")[0].removeprefix("test_").replace("_", " ")


def real(value: Any) -> float | None:
    """A finite number, or nothing."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known else None


def plain(value: Any) -> Value:
    """A figure as a table cell: numbers stay numbers, lists become text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value)


def interval(entry: Mapping[str, Any]) -> str:
    """The interval of a median of ratios."""
    return f"{show(real(entry.get('low')), 'number')} – {show(real(entry.get('high')), 'number')}"


def times(ratio: float) -> str:
    """How many times, either way round: 2.5×."""
    return show(max(ratio, 1 / ratio), "ratio")
