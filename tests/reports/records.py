"""Results as a store would hold them, computed on the spot or made up, and runs of them."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from bench.cells import Cell, load_kind
from bench.store.results import Results
from reports.context import Run


@dataclass
class Record:
    kind: str
    config: dict[str, Any]
    values: dict[str, Any]
    arrays: dict[str, Any]
    key: str
    provenance: dict[str, Any] = field(default_factory=dict)


def record_of(cell: Cell, values: dict[str, Any], arrays: dict[str, Any] | None = None) -> Record:
    return Record(cell.kind, cell.config, values, arrays or {}, cell.key)


def computed(cell: Cell, **changed: Any) -> Record:
    """The result of a cell, with settings that are smaller than it says."""
    result = load_kind(cell.kind).run(replace(cell.settings, **changed))
    return record_of(cell, result.values, result.arrays)


def run_with(results: Results, **plans: Any) -> Run:
    run = Run("r", plans, ())
    run.__dict__["results"] = results  # where cached_property keeps it
    return run


def run_of(study: str, records: list[Record]) -> Run:
    """A run of one study in the preset of the paper."""
    standings = [SimpleNamespace(record=record, studies=(study,)) for record in records]
    return Run("r", {study: {"preset": "paper"}}, standings)
