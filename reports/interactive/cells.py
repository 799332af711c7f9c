"""Every result behind a report, written down once: figures, tables and claims name them by number.

The list stands at the end of the page as text, one block of CSV per kind of cell: there to be read
without scripts, and what scripts look a run up in.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench.core.guards.text import one_line
from bench.store.results import StoredResult

KEY_LETTERS = 12
SEEDS = ("seed", "data_seed", "seeds", "data_seeds")
# What a reader looks for first; `femnets export` has the rest.
VALUES = (
    "l2_error", "l2_error_inside", "l2_relative", "rel_test_error", "train_mse", "log10_growth",
    "dofs", "unknowns", "seconds", "diverged",
)  # fmt: skip


@dataclass(frozen=True)
class Listing:
    """The cells of one kind: what they share, and a line for each."""

    kind: str
    first: int  # the number of its first cell
    cells: int
    shared: str
    text: str  # CSV


@dataclass(frozen=True)
class Cells:
    """Results in the order of their kinds and settings; the number of one is its place."""

    records: Sequence[StoredResult]

    @classmethod
    def of(cls, records: Iterable[StoredResult]) -> Cells:
        return cls(sorted(records, key=lambda r: (r.kind, _sortable(r.config), r.key)))

    @cached_property
    def number(self) -> dict[str, int]:
        return {record.key: k for k, record in enumerate(self.records)}

    def ranges(self, keys: Iterable[str]) -> str:
        """`0-35,40`: the numbers of these cells; those that are not in the run are left out."""
        numbers = sorted({self.number[key] for key in keys if key in self.number})
        parts: list[list[int]] = []
        for number in numbers:
            if parts and number == parts[-1][1] + 1:
                parts[-1][1] = number
            else:
                parts.append([number, number])
        return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in parts)

    @cached_property
    def listings(self) -> list[Listing]:
        found, start = [], 0
        for kind in dict.fromkeys(record.kind for record in self.records):
            group = [record for record in self.records if record.kind == kind]
            found.append(_listing(kind, start, group))
            start += len(group)
        return found


def _sortable(config: dict[str, Any]) -> str:
    """Seeds last, so that the cells of one variant are neighbours."""
    return json.dumps([*variant(config), [config.get(name) for name in SEEDS]])


def variant(config: dict[str, Any]) -> list[list[Any]]:
    """The settings without the seeds."""
    return [[name, config[name]] for name in sorted(config) if name not in SEEDS]


def _listing(kind: str, first: int, group: Sequence[StoredResult]) -> Listing:
    names = sorted({name for record in group for name in record.config})
    said = {name: {_text(record.config.get(name)) for record in group} for name in names}
    differ = [name for name in names if len(said[name]) > 1]
    differ.sort(key=lambda name: name in SEEDS)
    shared = [f"{name}={_text(group[0].config.get(name))}" for name in names if name not in differ]
    values = [v for v in VALUES if any(_is_number(record.values.get(v)) for record in group)]
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["key", *differ, *values])
    for record in group:
        settings = [_text(record.config.get(name)) for name in differ]
        measured = [_measured(record.values.get(name)) for name in values]
        writer.writerow([record.key[:KEY_LETTERS], *settings, *measured])
    return Listing(kind, first, len(group), ", ".join(shared), lines.getvalue())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _measured(value: Any) -> str:
    """Whole tables of numbers are left to `femnets export`."""
    return _text(value) if _is_number(value) else ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return one_line(value if isinstance(value, str) else json.dumps(value))
