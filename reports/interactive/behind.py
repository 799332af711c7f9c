"""The runs behind a mark of a figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench.store.results import StoredResult, competitor, median
from reports.interactive.cells import Cells, variant

Index = dict[str, set[tuple[str, ...]]]


@dataclass(frozen=True)
class Behind:
    """Which runs a mark of a figure stands for, read off its value or the name of its series.

    A mark is a value of one cell or the median over the seeds of one variant, to the last digit;
    where several variants have that value, the other coordinate decides. A point along a curve is
    not among the values: its runs are those of the one variant that is called as the series, or has
    its name among the settings. Else nobody is named.
    """

    cells: Cells
    keys: tuple[str, ...]

    def runs(self, x: float, y: float) -> str:
        """The numbers of the cells, as `Cells.ranges` writes them; empty where none is known."""
        for here, there in ((y, x), (x, y)):
            found = self._measured.get(_exact(here), set())
            if len(found) > 1:
                found = found & self._all.get(_exact(there), set())
            whole = max(found, key=len, default=())
            if found and all({*keys} <= {*whole} for keys in found):
                return self.cells.ranges(whole)
        return ""

    def named(self, series: str) -> str:
        """The same for all marks of a series."""
        return self.cells.ranges(self._called.get(series, ()))

    @cached_property
    def _called(self) -> dict[str, tuple[str, ...]]:
        """By a title, or a word among the settings, that belongs to the seeds of one variant."""
        named: dict[str, set[tuple[str, ...]]] = {}
        for group in self._variants if len(self._variants) > 1 else ():
            config = group[0].config
            words = {value for value in config.values() if isinstance(value, str)}
            for word in {_title(group[0]), *words} - {""}:
                named.setdefault(word, set()).add(tuple(record.key for record in group))
        return {word: groups.pop() for word, groups in named.items() if len(groups) == 1}

    @cached_property
    def _records(self) -> list[StoredResult]:
        numbers = (self.cells.number.get(key) for key in self.keys)
        return [self.cells.records[number] for number in numbers if number is not None]

    @cached_property
    def _measured(self) -> Index:
        """By a value that tells something: 0, 1 and 50 are measured everywhere."""
        return _index(self._variants, lambda record: _telling(record.values))

    @cached_property
    def _all(self) -> Index:
        return _index(self._variants, lambda record: {**record.config, **record.values})

    @cached_property
    def _variants(self) -> list[list[StoredResult]]:
        """Runs that differ by their seeds."""
        groups: dict[str, list[StoredResult]] = {}
        for record in self._records:
            name = json.dumps([record.kind, variant(record.config)])
            groups.setdefault(name, []).append(record)
        return [*groups.values()]


def _telling(values: dict[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in values.items() if isinstance(v, float) and not v.is_integer()}


def _index(
    groups: Sequence[Sequence[StoredResult]], numbers: Callable[[StoredResult], dict[str, Any]]
) -> Index:
    """By every number of a cell alone and of all seeds together, whose it is."""
    known: Index = {}
    for group in groups:
        keys = tuple(record.key for record in group)
        told = [numbers(record) for record in group]
        for name in sorted({name for each in told for name in each}):
            found = [_number(each.get(name)) for each in told]
            for value, key in zip(found, keys, strict=True):
                if value is not None:
                    known.setdefault(_exact(value), set()).add((key,))
            if len(group) > 1 and any(value is not None for value in found):
                known.setdefault(_exact(median(found)), set()).add(keys)
    return known


def _number(value: object) -> float | None:
    whole = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if whole else None  # type: ignore[arg-type]


def _title(record: StoredResult) -> str:
    """What comparisons call it; an edited result may lack what its kind has."""
    try:
        shown = competitor(record)
    except (KeyError, TypeError, ValueError):
        return ""
    return shown.title if shown is not None else ""


def _exact(value: float) -> str:
    """To twelve digits: sums and means are not associative to the last."""
    return f"{value:.12g}"
