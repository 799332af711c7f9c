"""Every result behind a report, listed once: figures, tables and claims refer to them by key.

The list stands at the end of the page as text, one block of CSV per kind of cell: readable without
scripts, and where scripts look a run up.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.core.guards.text import one_line
from bench.store.results import StoredResult
from reports.tables import split

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
    cells: int
    shared: str
    text: str  # CSV


def short(key: str) -> str:
    """The key of a result as the page writes it."""
    return key[:KEY_LETTERS]


def listings(records: Iterable[StoredResult]) -> list[Listing]:
    """The results kind by kind, in the order of their settings."""
    kinds: dict[str, list[StoredResult]] = {}
    for record in sorted(records, key=lambda r: (r.kind, _sortable(r.config), r.key)):
        kinds.setdefault(record.kind, []).append(record)
    return [_listing(kind, group) for kind, group in kinds.items()]


def _sortable(config: dict[str, Any]) -> str:
    """Seeds last, so that the cells of one variant are neighbours."""
    variant = [[name, config[name]] for name in sorted(config) if name not in SEEDS]
    return json.dumps([*variant, [config.get(name) for name in SEEDS]])


def _listing(kind: str, group: Sequence[StoredResult]) -> Listing:
    settings = [{name: _text(v) for name, v in r.config.items()} for r in group]
    shared, differ = split(settings)
    differ.sort(key=lambda name: name in SEEDS)
    values = [v for v in VALUES if any(_is_number(record.values.get(v)) for record in group)]
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["key", *differ, *values])
    for record, chosen in zip(group, settings, strict=True):
        measured = [_measured(record.values.get(name)) for name in values]
        writer.writerow([short(record.key), *(chosen.get(n, "") for n in differ), *measured])
    words = ", ".join(f"{name}={value}" for name, value in shared.items())
    return Listing(kind, len(group), words, lines.getvalue())


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
